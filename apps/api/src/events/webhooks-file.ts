import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { WatchedFile } from '../files/watched-file.js';

/** An endpoint that bookings are delivered to, as the file has it. */
export interface Endpoint {
  /** 1 to 64 of `A-Z a-z 0-9 . _ -`. Progress is kept under it, even if the URL changes. */
  readonly name: string;
  readonly url: string;
  /** One, or two while the receiver changes from one to the other; 24 to 64 bytes each. */
  readonly secrets: readonly Buffer[];
  /** The booking that an endpoint starts with when it is first seen. */
  readonly from: 'now' | 'first';
  /** Only bookings whose `resource_id` begins with it are delivered; all of them where it is ''. */
  readonly prefix: string;
}

/** Endpoints of a file, at most: each create writes a row for each of them. */
const MAX_ENDPOINTS = 16;

const fileSchema = z.strictObject({ endpoints: z.array(z.unknown()).max(MAX_ENDPOINTS) });

const secretSchema = z
  .string()
  // Receivers reject Base64 without its padding: its length is a multiple of four.
  .regex(/^whsec_(?=(?:.{4})*$)[A-Za-z0-9+/]{32,86}={0,2}$/)
  .transform((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));

const endpointSchema = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/),
  url: z.string().max(2_000),
  secrets: z.array(secretSchema).min(1).max(2),
  from: z.enum(['now', 'first']),
  resource_id_prefix: z.string().min(1).max(200).optional(),
});

/** What each member must be, for the log line about one that is not. */
const RULES: Readonly<Record<string, string>> = {
  name: '`name` must be 1 to 64 of A-Z a-z 0-9 . _ -',
  url: '`url` must be a URL',
  secrets: '`secrets` must be one or two, each whsec_ and 24 to 64 bytes in base64 with its padding',
  from: '`from` must be "now" or "first"',
  resource_id_prefix: '`resource_id_prefix` must be a string of 1 to 200 characters',
};

/** What is wrong with an entry of the file. */
export interface EntryError {
  /** As the entry has it. */
  readonly name: unknown;
  readonly message: string;
}

/**
 * The endpoints of a file, and the error of every entry that is none.
 *
 * @param allowPrivate whether `http` is allowed
 * @throws Error where the file is not JSON of this form. Messages never show its content, which has secrets.
 */
export function parseWebhooks(text: string, allowPrivate: boolean): { endpoints: Endpoint[]; errors: EntryError[] } {
  const file = fileSchema.safeParse(parseJson(text));
  if (!file.success) throw new Error(`it must be {"endpoints": [...]} with at most ${MAX_ENDPOINTS} of them`);
  const endpoints = new Map<string, Endpoint>();
  const errors: EntryError[] = [];
  for (const [index, entry] of file.data.endpoints.entries()) {
    const { data, error: invalid } = endpointSchema.safeParse(entry);
    const error = data === undefined ? errorOf(invalid) : urlError(data.url, allowPrivate);
    const { name } = (entry ?? {}) as { name?: unknown };
    const which = `entry ${index + 1}${typeof name === 'string' && name.length <= 64 ? ` (${name})` : ''}`;
    if (data === undefined || error !== undefined) errors.push({ name, message: `${which}: ${error}` });
    else if (endpoints.has(data.name)) errors.push({ name, message: `${which}: another entry has the same name` });
    else endpoints.set(data.name, { ...data, prefix: data.resource_id_prefix ?? '' });
  }
  return { endpoints: [...endpoints.values()], errors };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf({ issues: [issue] }: z.ZodError): string {
  const member = String(issue!.path[0]);
  return RULES[member] ?? 'its members must be `name`, `url`, `secrets`, `from` and, optionally, `resource_id_prefix`';
}

function urlError(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return RULES['url'];
  if (url.username !== '' || url.password !== '') return '`url` must not contain a user or a password';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowPrivate)) return undefined;
  return '`url` must be https (WEBHOOKS_ALLOW_PRIVATE allows http)';
}

/** The endpoints of a file that may change at any time. */
export class WebhooksFile {
  private readonly logger = new Logger('webhooks');
  private readonly source: WatchedFile;
  endpoints: readonly Endpoint[] = [];
  /** Entries that are not valid, and 1 if the file cannot be used. */
  errors = 0;

  constructor(
    private readonly file: string,
    private readonly allowPrivate: boolean,
  ) {
    this.source = new WatchedFile(`the webhooks file ${file}`, file, (text) => this.take(text));
  }

  /** @throws Error where the file cannot be used at all */
  read(): Promise<void> {
    return this.source.load();
  }

  /**
   * Reads the file whenever it changes. One that cannot be used changes no endpoint.
   *
   * @param changed called also when it can no longer be used
   */
  watch(signal: AbortSignal, changed: () => void): Promise<void> {
    return this.source.watch(signal, {
      changed: () => {
        this.logger.log(`Reloaded: ${this.file}, ${this.endpoints.length} endpoints.`);
        changed();
      },
      failed: (error) => {
        this.logger.error(`${error}. The previous endpoints stay in use.`);
        this.errors++;
        changed();
      },
    });
  }

  private take(text: string): void {
    const { endpoints, errors } = parseWebhooks(text, this.allowPrivate);
    for (const { name, message } of errors) {
      const previous = this.endpoints.find((endpoint) => endpoint.name === name);
      if (endpoints.some((endpoint) => endpoint.name === name)) {
        this.logger.error(`In ${this.file}, ${message}. The other one is used.`);
      } else if (previous === undefined) {
        this.logger.error(`In ${this.file}, ${message}. It receives nothing until that is fixed.`);
      } else {
        this.logger.error(`In ${this.file}, ${message}. Its last valid form stays in use.`);
        endpoints.push(previous);
      }
    }
    this.endpoints = endpoints;
    this.errors = errors.length;
  }
}
