/** Draws the picture of the README, `docs/timetable.png`: a day of the demo, and a double booking that is rejected. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BookingsClient } from '@booking-service/client';
import { chromium } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { chromiumPath } from 'testing/chromium';

const workspace = new URL('../../', import.meta.url);
const service = await ServiceProcess.start();
const client = new BookingsClient({ baseUrl: service.url });
const day = readFileSync(new URL('examples/demo/day.jsonl', workspace), 'utf8').trimEnd().split('\n');
// One of them overlaps another one.
for (const line of day) await client.create(JSON.parse(line).payload).catch(() => {});
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--lang=en-US'] });
const viewport = { width: 1280, height: 720 };
const page = await browser.newPage({ viewport, deviceScaleFactor: 1.5, locale: 'en-US', reducedMotion: 'reduce' });
await page.goto(`${service.url}/timetable?date=2026-12-03&zone=Europe/Berlin`);
await page.locator('#new').click();
const entries = {
  resource: 'lisbon/reading-room-2',
  start: '2026-12-03T11:00',
  end: '2026-12-03T12:15',
  name: 'Grace',
};
for (const [id, value] of Object.entries(entries)) await page.locator(`#${id}`).fill(value);
await page.locator('#book').click();
await page.locator('#fault').waitFor();
await page.screenshot({ path: fileURLToPath(new URL('docs/timetable.png', workspace)) });
await browser.close();
await service.stop();
