import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from 'testing';
import { ADDRESS, at, create, PHONE, slotOf, Timetable } from '../support/timetable.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds in light, and in the dark, where only colors differ: the rule, and where. */
async function findings({ page }: Timetable): Promise<string[]> {
  // Past the content security policy of the page, which this script is not a part of.
  await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === 'dark' ? `runOnly: ['color-contrast']` : '';
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      `axe.run(document, { resultTypes: ['violations'], ${rules} })`,
    );
    for (const { id, nodes } of violations) found.push(colorScheme, id, ...nodes.map(({ html }) => html));
  }
  return found;
}

describe('In light and dark, axe-core finds nothing', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'lab/a, lab/b' });
    await create(service, { slot: slotOf('lab/a', '10:00', '11:00'), guest: { name: 'Ada' } });
    await create(service, { slot: slotOf('hall', '10:00', '14:00'), title: 'Choir', note: 'every week' });
    timetable = await Timetable.open(service);
  });
  afterAll(async () => {
    await timetable.close();
    await service.stop();
  });
  afterEach(async () => {
    expect(await findings(timetable)).toEqual([]);
  });
  const show = (query: string) => timetable.goTo(`${service.url}/timetable${query}`);
  const see = (selector: string) => timetable.page.locator(selector).first().waitFor();

  it('in a day', () => see('.booked'));

  it('in resources that are free at a time, and others', async () => {
    await show(`${ADDRESS}&free=60&at=10:30`);
    await see('.taken .booked');
  });

  it('in what a search finds in a week', async () => {
    await show(`${ADDRESS.replace('day', 'week')}&filter=ada&free=60`);
    await see('.found');
  });

  it('in a form with a time that a day of 25 hours has twice', async () => {
    await show('?date=2026-10-25&zone=Europe/Berlin');
    await timetable.page.keyboard.press('n');
    await timetable.enter('start', '2026-10-25 02:30');
    await see('#start-offset');
  });

  it('in the details of a booking', async () => {
    await show(ADDRESS);
    await timetable.booked('Choir').click();
  });

  it('in a rejection, with a fault of the times', async () => {
    await timetable.drag('lab/a', at('09:30'), at('10:30'));
    await timetable.page.getByText('Advanced').click();
    await timetable.book('Mallory');
    await timetable.fault.waitFor();
    await timetable.enter('end', '2026-12-01 08:00');
    await see('#length.warn');
  });

  it('in a week that was not read, while the service is unavailable', async () => {
    await timetable.page.keyboard.press('Escape');
    await service.stop();
    for (const id of ['week', 'forth']) await timetable.page.locator(`#${id}`).click();
    await timetable.status.filter({ hasText: 'What is hatched may be taken' }).waitFor();
  });

  it('on a phone without bookings', async () => {
    await timetable.close();
    service = await ServiceProcess.start();
    timetable = await Timetable.open(service, ADDRESS, PHONE);
    await see('#empty');
    await timetable.page.locator('#menu').click();
  });

  it('in the dialog that requests a token', async () => {
    await Promise.all([timetable.close(), service.stop()]);
    const folder = mkdtempSync(join(tmpdir(), 'timetable-keys-'));
    const line = `desk sha256:${createHash('sha256').update('any').digest('hex')} bookings:read\n`;
    writeFileSync(join(folder, 'keys'), line);
    service = await ServiceProcess.start({ AUTH_API_KEYS_FILE: join(folder, 'keys') });
    rmSync(folder, { recursive: true });
    timetable = await Timetable.blank();
    await timetable.page.goto(`${service.url}/timetable${ADDRESS}`);
    await see('#token-dialog');
  });
});
