import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { conditionalReply, type Reply } from '../../edge/reply.js';

export const PAGE = '/timetable';

/** Media types of the page and its files, by path. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  [PAGE]: 'text/html; charset=utf-8',
  [`${PAGE}/timetable.js`]: 'text/javascript; charset=utf-8',
  [`${PAGE}/timetable.css`]: 'text/css; charset=utf-8',
  [`${PAGE}/icon.svg`]: 'image/svg+xml',
};
export const PATHS = Object.keys(MEDIA_TYPES);

/** File name endings of the built files, by coding. The page itself is compressed here, since it contains settings. */
const CODINGS = {
  br: { ending: '.br', compress: promisify(brotliCompress) },
  gzip: { ending: '.gz', compress: promisify(gzip) },
  identity: { ending: '', compress: (text: string) => Buffer.from(text) },
};
export type Coding = keyof typeof CODINGS;

/** The built page of `apps/timetable`; files are read on their first request, and kept. */
export class TimetablePage {
  private readonly files = new Map<string, { body: Buffer; etag: string }>();

  /** @param resources those that the page shows even before they have a booking */
  constructor(private readonly resources: readonly string[]) {}

  /** @param path one of {@link PATHS} */
  async reply(path: string, coding: Coding, ifNoneMatch: string | undefined): Promise<Reply> {
    const key = path + CODINGS[coding].ending;
    let file = this.files.get(key);
    if (file === undefined) {
      const body = await this.read(path, coding);
      // Each coding has an ETag of its own (RFC 9110 §8.8.3.3).
      file = { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` };
      this.files.set(key, file);
    }
    const headers = coding === 'identity' ? {} : { 'Content-Encoding': coding };
    return conditionalReply({ type: MEDIA_TYPES[path]!, body: file.body, headers }, file.etag, ifNoneMatch);
  }

  private async read(path: string, coding: Coding): Promise<Buffer> {
    const folder = createRequire(import.meta.url)
      .resolve('timetable/package.json')
      .replace(/package\.json$/, 'dist');
    const { ending, compress } = CODINGS[coding];
    if (path !== PAGE) return readFile(join(folder, path + ending));
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    const resources = this.resources
      .join(',')
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll('<', '&lt;');
    return compress(page.replace(/(?<=<meta name=bookings-resources content=)""/, () => `"${resources}"`));
  }
}
