import { ServiceProcess } from 'testing';
import { describeInBrowser, listed, Timetable } from '../support/timetable.js';

const HOUR = 3_600_000;

/** A zone, a day in it, its first instant and its hours, and the first labels of the clock. */
const DAYS = [
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25, '00 01 02 02 03'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23, '00 01 03 04'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25, '00 01 01 02'],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 23, '00 01 03 04'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 24.5, '00 01 02 03'],
  ['Asia/Kolkata', '2026-10-26', '2026-10-25T18:30:00Z', 24, '00 01 02 03'],
] as const;

describeInBrowser('A day on which clocks change', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'room' });
    timetable = await Timetable.blank({ viewport: { width: 2200, height: 800 } });
  });
  afterAll(async () => {
    await timetable.close();
    await service.stop();
  });

  const open = (zone: string, date: string) =>
    timetable.goTo(`${service.url}/timetable?date=${date}&span=day&zone=${zone}&filter=room`);
  const startOf = async (name: string) => {
    const booking = (await listed(service)).find(({ guest }) => (guest as { name: string }).name === name);
    return booking?.slot?.start;
  };

  it.each(DAYS)(
    '%s, %s: drawn and booked to the instant, by drag, by keys and by typing',
    async (zone, date, day, hours, first) => {
      await open(zone, date);
      const { page } = timetable;
      const labels = await page.locator('#hours .hour').allInnerTexts();
      expect(labels.join(' ').startsWith(first)).toBe(true);
      const at = (hour: number) => new Date(Date.parse(day) + hour * HOUR).toISOString();
      // Hours that have elapsed since the start of the day: past the change.
      const name = (how: string) => `${how} ${zone} ${date}`;
      await timetable.drag('room', at(5), at(6.25), [day, hours]);
      await timetable.book(name('drag'));
      const box = timetable.booked(name('drag'));
      await box.waitFor();
      expect(await startOf(name('drag'))).toBe(at(5));
      const [lines, drawn] = [(await page.locator('#lines').boundingBox())!, (await box.boundingBox())!];
      expect(Math.abs(drawn.x - lines.x - (5 / hours) * lines.width)).toBeLessThan(1.5);
      expect(Math.abs(drawn.width - (1.25 / hours) * lines.width)).toBeLessThan(1.5);

      await timetable.panel.waitFor({ state: 'hidden' });
      await page.locator('.cell[tabindex="0"]').focus();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await timetable.book(name('keys'));
      await timetable.booked(name('keys')).waitFor();
      // The last half hour of the day.
      expect(await startOf(name('keys'))).toBe(at(hours - 0.5));

      await timetable.panel.waitFor({ state: 'hidden' });
      await page.locator('#new').click();
      await timetable.enter('start', `${date} 20:15`);
      await timetable.book(name('typed'));
      await timetable.booked(name('typed')).waitFor();
      // 20:15 is 3 hours and 45 minutes before the end of each of these days.
      expect(await startOf(name('typed'))).toBe(at(hours - 3.75));
    },
  );

  it('a time that the clock skips, or shows twice, is asked for', async () => {
    const { page } = timetable;
    await open('Australia/Lord_Howe', '2026-04-05');
    await page.locator('#new').click();
    await timetable.enter('start', '2026-10-04 02:15');
    await timetable.book('skipped');
    expect(await page.locator('#length').innerText()).toBe('The clock skips this time: choose another one.');
    await timetable.enter('start', '2026-04-05 01:45');
    await timetable.book('twice');
    expect(await page.locator('#length').innerText()).toBe('This time occurs twice: choose which one.');
    await page.getByLabel('Start, first or second').selectOption('+10:30');
    await timetable.book();
    await timetable.booked('twice').waitFor();
    expect(await startOf('twice')).toBe('2026-04-04T15:15:00.000Z');
  });
});
