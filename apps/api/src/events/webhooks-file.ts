import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { z } from 'zod';

/** Whom bookings are told to, as the file has it. */
export interface Endpoint {
  /** 1 to 64 of `A-Z a-z 0-9 . _ -`. How far an endpoint is goes by its name, whatever becomes of its URL. */
  readonly name: string;
  readonly url: string;
  /** One, or two while the receiver changes over; 24 to 64 bytes each. */
  readonly secrets: readonly Buffer[];
  /** From which booking on, when the endpoint is first seen. */
  readonly from: 'now' | 'first';
  /** It is told of the bookings whose `resource_id` begins with it; of all where it is ''. */
  readonly prefix: string;
}

/** Milliseconds between two looks at the file. Its text is compared: no event of the file system is waited for. */
const REREAD_INTERVAL = 1_000;

/** Endpoints of a file, at most: each may have as many requests under way as `post.ts` says. */
const MAX_ENDPOINTS = 64;

const fileSchema = z.strictObject({ endpoints: z.array(z.unknown()).max(MAX_ENDPOINTS) });

const secretSchema = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
  .transform((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'))
  .refine(({ length }) => length >= 24 && length <= 64);

const endpointSchema = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/),
  url: z.string().max(2_000),
  secrets: z.array(secretSchema).min(1).max(2),
  from: z.enum(['now', 'first']),
  resource_id_prefix: z.string().min(1).max(200).optional(),
});

/** What is to be right about a member, for the line that says that it is not. */
const RULES: Readonly<Record<string, string>> = {
  name: '`name` is 1 to 64 of A-Z a-z 0-9 . _ -',
  url: '`url` is a URL',
  secrets: '`secrets` are one or two of whsec_ and 24 to 64 bytes in base64',
  from: '`from` is "now" or "first"',
  resource_id_prefix: '`resource_id_prefix` is a text of 1 to 200 characters',
};

/**
 * The endpoints of a file, and what is wrong with each other entry.
 *
 * @param allowPrivate whether `http` will do
 * @throws Error where the file is not JSON of this form. No message shows what the file has in it: secrets, that is.
 */
export function parseWebhooks(text: string, allowPrivate: boolean): { endpoints: Endpoint[]; faults: string[] } {
  const file = fileSchema.safeParse(parseJson(text));
  if (!file.success) throw new Error(`it is not {"endpoints": [...]} with ${MAX_ENDPOINTS} of them at most`);
  const endpoints = new Map<string, Endpoint>();
  const faults: string[] = [];
  for (const [index, entry] of file.data.endpoints.entries()) {
    const { data, error } = endpointSchema.safeParse(entry);
    const fault = data === undefined ? faultOf(error) : urlFault(data.url, allowPrivate);
    const { name } = (entry ?? {}) as { name?: unknown };
    const which = `entry ${index + 1}${typeof name === 'string' && name.length <= 64 ? ` (${name})` : ''}`;
    if (data === undefined || fault !== undefined) faults.push(`${which}: ${fault}`);
    else if (endpoints.has(data.name)) faults.push(`${which}: an entry before has that name`);
    else endpoints.set(data.name, { ...data, prefix: data.resource_id_prefix ?? '' });
  }
  return { endpoints: [...endpoints.values()], faults };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf({ issues: [issue] }: z.ZodError): string {
  const member = String(issue!.path[0]);
  return (
    RULES[member] ?? 'it has `name`, `url`, `secrets`, `from` and perhaps `resource_id_prefix`, and no other member'
  );
}

function urlFault(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return RULES['url'];
  if (url.username !== '' || url.password !== '') return '`url` has a user or a password in it';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowPrivate)) return undefined;
  return '`url` is not https (WEBHOOKS_ALLOW_PRIVATE allows http)';
}

/** The endpoints of a file that may change at any time. */
export class WebhooksFile {
  private readonly logger = new Logger('webhooks');
  private text: string | undefined;
  private fault: string | undefined;
  endpoints: readonly Endpoint[] = [];

  constructor(
    private readonly file: string,
    private readonly allowPrivate: boolean,
  ) {}

  /** @throws Error where the file cannot be used at all */
  async read(): Promise<void> {
    try {
      this.take(await readFile(this.file, 'utf8'));
    } catch (error) {
      throw new Error(this.faultOf(error), { cause: error });
    }
  }

  /** Reads the file again and again. What cannot be used changes nothing: the endpoints stay as they are. */
  async watch(signal: AbortSignal, changed: () => void): Promise<void> {
    for (;;) {
      await sleep(REREAD_INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        const text = await readFile(this.file, 'utf8');
        if (text === this.text && this.fault === undefined) continue;
        this.take(text);
        this.fault = undefined;
        this.logger.warn(`Read anew: ${this.file}, ${this.endpoints.length} endpoints.`);
        changed();
      } catch (error) {
        const fault = this.faultOf(error);
        if (fault !== this.fault) this.logger.error(`${fault}. The endpoints read before stay.`);
        this.fault = fault;
      }
    }
  }

  private take(text: string): void {
    const { endpoints, faults } = parseWebhooks(text, this.allowPrivate);
    for (const fault of faults) {
      this.logger.error(`In ${this.file}, ${fault}. It is told nothing until that is mended.`);
    }
    this.endpoints = endpoints;
    this.text = text;
  }

  private faultOf(error: unknown): string {
    return `the webhooks of ${this.file} cannot be used: ${(error as Error).message}`;
  }
}
