import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url);
const files = new Map(
  readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [name, readFileSync(`${parentPath}/${name}`)]),
);
const LOADED = ['timetable.js', 'timetable.css', 'icon.svg'];

describe('The built page', () => {
  it('is HTML, and files that are there as they are, as .br and as .gz', () => {
    const all = LOADED.flatMap((name) => [name, `${name}.br`, `${name}.gz`]);
    expect([...files.keys()].toSorted()).toEqual(['index.html', ...all].toSorted());
    for (const name of LOADED) {
      expect(brotliDecompressSync(files.get(`${name}.br`)!)).toEqual(files.get(name));
      expect(gunzipSync(files.get(`${name}.gz`)!)).toEqual(files.get(name));
    }
  });

  it('sends at most 26,000 bytes in gzip', () => {
    const sent = LOADED.map((name) => files.get(`${name}.gz`)!.length);
    const html = gzipSync(files.get('index.html')!).length;
    process.stderr.write(`Timetable: ${sent.join(' + ')} + ${html} bytes.\n`);
    expect(sent.reduce((sum, bytes) => sum + bytes, html)).toBeLessThanOrEqual(26_000);
  });
});
