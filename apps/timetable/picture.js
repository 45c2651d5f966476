/**
 * Draws the picture of the README, `docs/timetable.png`: a day of the demo, and a double booking that is rejected.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { chromiumPath } from 'testing/chromium';

const workspace = new URL('../../', import.meta.url);
const service = await ServiceProcess.start();
const day = readFileSync(new URL('examples/demo/day.jsonl', workspace), 'utf8').trimEnd().split('\n');
for (const line of day) {
  await fetch(`${service.url}/v1/bookings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(JSON.parse(line).payload),
  });
}
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--no-sandbox', '--lang=en-US'],
});
const page = await browser.newPage({
  viewport: { width: 1280, height: 720 },
  deviceScaleFactor: 1.5,
  locale: 'en-US',
  timezoneId: 'Europe/Berlin',
  reducedMotion: 'reduce',
});
await page.goto(`${service.url}/timetable?date=2026-12-03&zone=Europe/Berlin`);
const booked = page.locator('.row', { hasText: 'reading-room-2' }).locator('.booked').first();
const { x, y, height } = await booked.boundingBox();
await page.mouse.move(x - 24, y + height / 2);
await page.mouse.down();
await page.mouse.move(x + 40, y + height / 2, { steps: 4 });
await page.mouse.up();
await page.getByLabel('Name').fill('Grace');
await page.locator('#book').click();
await page.locator('#fault').waitFor();
await page.mouse.move(640, 20);
await page.screenshot({ path: fileURLToPath(new URL('docs/timetable.png', workspace)) });
await browser.close();
await service.stop();
