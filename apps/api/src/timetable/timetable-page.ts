import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { conditionalReply, type Reply } from '../http/reply.js';

/** The files that the page loads from the folder `timetable` next to it, with their media types. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'timetable.js': 'text/javascript; charset=utf-8',
  'timetable.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** Content codings (RFC 9110 §8.4.1), the preferred first. */
export const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

/** How the build names a file in a coding, and how the page, which has settings in it, is compressed. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' };
const COMPRESS = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  identity: (text: string) => Buffer.from(text),
};

interface File {
  readonly body: Buffer;
  readonly etag: string;
}

/** The built page of `apps/timetable`. Each file is read when it is first requested, and kept. */
export class TimetablePage {
  private readonly files = new Map<string, Promise<File>>();

  /**
   * @param resources the ones that the page shows before anybody has booked them
   * @param folder of the built page; that of the package where it is not given
   */
  constructor(
    private readonly resources: readonly string[],
    private readonly folder?: string,
  ) {}

  isFile(name: string): boolean {
    return Object.hasOwn(MEDIA_TYPES, name);
  }

  page(coding: Coding, ifNoneMatch: string | undefined): Promise<Reply> {
    return this.reply('index.html', 'text/html; charset=utf-8', coding, ifNoneMatch);
  }

  file(name: string, coding: Coding, ifNoneMatch: string | undefined): Promise<Reply> {
    return this.reply(`timetable/${name}`, MEDIA_TYPES[name]!, coding, ifNoneMatch);
  }

  private async reply(
    path: string,
    mediaType: string,
    coding: Coding,
    ifNoneMatch: string | undefined,
  ): Promise<Reply> {
    const { body, etag } = await this.read(path, coding);
    const headers = coding === 'identity' ? [] : ['Content-Encoding', coding];
    return conditionalReply(mediaType, body, etag, ifNoneMatch, headers);
  }

  private read(path: string, coding: Coding): Promise<File> {
    const key = path + ENDINGS[coding];
    let file = this.files.get(key);
    if (file === undefined) {
      file = this.readBuilt(path, coding);
      // A missing file is not cached: the page may be built later.
      file.catch(() => this.files.delete(key));
      this.files.set(key, file);
    }
    return file;
  }

  private async readBuilt(path: string, coding: Coding): Promise<File> {
    const place = join(this.folder ?? builtFolder(), path);
    const isPage = path === 'index.html';
    const body = isPage
      ? await COMPRESS[coding](this.withResources(await readFile(place, 'utf8')))
      : await readFile(place + ENDINGS[coding]);
    // Of what is sent: each coding has its own (RFC 9110 §8.8.3.3).
    return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
  }

  private withResources(page: string): string {
    return page.replace(
      '<meta name="bookings-resources" content=""',
      () => `<meta name="bookings-resources" content="${escapeAttribute(this.resources.join(','))}"`,
    );
  }
}

function builtFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('timetable/package.json')), 'dist');
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
