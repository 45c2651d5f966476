import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { conditionalReply, type Reply } from '../http/reply.js';

/** The files that the page loads from the folder `timetable` next to it, with their media types. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'timetable.js': 'text/javascript; charset=utf-8',
  'timetable.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

interface File {
  readonly text: string;
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

  page(ifNoneMatch: string | undefined): Promise<Reply> {
    return this.reply('index.html', 'text/html; charset=utf-8', ifNoneMatch);
  }

  file(name: string, ifNoneMatch: string | undefined): Promise<Reply> {
    return this.reply(`timetable/${name}`, MEDIA_TYPES[name]!, ifNoneMatch);
  }

  private async reply(path: string, mediaType: string, ifNoneMatch: string | undefined): Promise<Reply> {
    const { text, etag } = await this.read(path);
    return conditionalReply(mediaType, text, etag, ifNoneMatch);
  }

  private read(path: string): Promise<File> {
    let file = this.files.get(path);
    if (file === undefined) {
      file = this.readBuilt(path);
      // A missing file is not cached: the page may be built later.
      file.catch(() => this.files.delete(path));
      this.files.set(path, file);
    }
    return file;
  }

  private async readBuilt(path: string): Promise<File> {
    const built = await readFile(join(this.folder ?? builtFolder(), path), 'utf8');
    const text = built.replace(
      '<meta name="bookings-resources" content=""',
      () => `<meta name="bookings-resources" content="${escapeAttribute(this.resources.join(','))}"`,
    );
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  }
}

function builtFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('timetable/package.json')), 'dist');
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
