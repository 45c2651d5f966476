import type { BookingDto } from '@booking-service/client';
import { Crowd, DAY, HOUR, MONDAY } from '../support/crowd.js';
import { ADDRESS, describeInBrowser } from '../support/timetable.js';

/** Milliseconds of CPU of the page's main thread. */
describeInBrowser('With 200 resources, 2,000 bookings a day and 14,000 a week', () => {
  let crowd: Crowd;
  const figures: string[] = [];
  beforeAll(async () => {
    crowd = await Crowd.open();
  });
  afterAll(async () => {
    process.stderr.write(`Timetable: ${figures.join(', ')}.\n`);
    await crowd.close();
  });

  async function spend(what: string, budget: number, act: () => Promise<unknown>, times = 1): Promise<void> {
    const used = (await crowd.cpu(act)) / times;
    figures.push(`${what} ${used.toFixed(1)} of ${budget} ms`);
    expect(used).toBeLessThanOrEqual(budget);
  }

  it('a day is read and drawn with 300 ms', () =>
    spend('a day', 300, () => crowd.timetable.goTo(`${crowd.service.url}/timetable${ADDRESS}`)));

  it('ten new bookings take 10 ms', () =>
    spend('ten new ones', 10, async () => {
      const resourceOf = ({ slot }: BookingDto) => slot!.resource_id;
      for (const booking of crowd.fake.bookings.slice(0, 10)) {
        crowd.fake.create(resourceOf(booking), MONDAY + DAY + 2 * HOUR, MONDAY + DAY + 2.5 * HOUR, MONDAY);
      }
      await crowd.timetable.poll();
      await crowd.timetable.status.filter({ hasText: '2,010 bookings' }).waitFor();
    }));

  it('a frame of scrolling takes 16 ms', () =>
    spend(
      'a frame of scrolling',
      16,
      () =>
        crowd.timetable.page.evaluate(`new Promise((resolve) => {
          let frames = 0;
          const step = () => {
            document.querySelector('#grid').scrollTop += 97;
            if (++frames < 60) requestAnimationFrame(step);
            else resolve();
          };
          requestAnimationFrame(step);
        })`),
      60,
    ));

  it('a week is read and drawn with 1,000 ms', () =>
    spend('a week', 1_000, async () => {
      await crowd.timetable.page.locator('#week').click();
      await crowd.timetable.status.filter({ hasText: '14,010 bookings' }).filter({ hasText: 'refreshed' }).waitFor();
    }));
});
