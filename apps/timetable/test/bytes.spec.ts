import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const built = (name: string) => readFileSync(new URL(`../dist/${name}`, import.meta.url));

it('the built page is sent in at most 26,000 bytes with gzip', () => {
  const files = ['timetable.js.gz', 'timetable.css.gz', 'icon.svg.gz'].map((name) => built(`timetable/${name}`));
  expect(Buffer.concat([...files, gzipSync(built('index.html'))]).length).toBeLessThanOrEqual(26_000);
});
