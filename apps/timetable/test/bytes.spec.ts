import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url);
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => ({ name, text: readFileSync(`${parentPath}/${name}`) }));
const gzipped = (end: string) =>
  files.filter(({ name }) => name.endsWith(end)).reduce((sum, { text }) => sum + gzipSync(text).length, 0);

describe('The built page', () => {
  it('has 16,000 bytes of JavaScript and 22,000 bytes in all, gzipped', () => {
    expect(files.map(({ name }) => name).toSorted()).toEqual([
      'icon.svg',
      'index.html',
      'timetable.css',
      'timetable.js',
    ]);
    expect(gzipped('.js')).toBeLessThanOrEqual(16_000);
    expect(gzipped('')).toBeLessThanOrEqual(22_000);
  });
});
