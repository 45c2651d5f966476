import { z } from 'zod';
import { WatchedFile } from '../../platform/watched-file.js';

export interface Endpoint {
  readonly name: string;
  readonly url: string;
  readonly secrets: readonly Buffer[];
  /** Prefix of `resource_id`; '' for all bookings. */
  readonly prefix: string;
}

/** Maximum endpoints: each create writes a row for each of them whose prefix fits. */
const MAX_ENDPOINTS = 16;

const secretSchema = z
  .string()
  // Receivers reject Base64 without padding; with padding, its length is a multiple of four.
  .regex(/^whsec_(?=(?:.{4})*$)[A-Za-z0-9+/]{32,86}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in padded base64')
  .transform((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));

const endpointSchema = z
  .strictObject({
    name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ -'),
    url: z.string().max(2_000),
    secrets: z.array(secretSchema).min(1).max(2),
    // Earlier previews required `from`.
    from: z.never('must be removed: receivers walk the list for bookings from before their endpoint').optional(),
    resource_id_prefix: z.string().min(1).max(200).optional(),
  })
  .transform(({ resource_id_prefix: prefix = '', ...endpoint }) => ({ ...endpoint, prefix }));

const fileSchema = z.strictObject({ endpoints: z.array(endpointSchema).max(MAX_ENDPOINTS) });

/** @param allowPrivate whether `http` is allowed @throws Error that names the first fault, and no secret */
export function parseWebhooks(text: string, allowPrivate: boolean): Endpoint[] {
  const { data, error } = fileSchema.safeParse(parseJson(text));
  if (data === undefined) throw new Error(faultOf(error.issues[0]!));
  const names = data.endpoints.map(({ name }) => name);
  for (const [index, { name, url }] of data.endpoints.entries()) {
    const isTaken = names.indexOf(name) < index;
    const fault = isTaken ? 'another entry has the same name' : urlFault(url, allowPrivate);
    if (fault !== undefined) throw new Error(`entry ${index + 1} (${name}): ${fault}`);
  }
  return data.endpoints;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf({ path: [, index, ...member], message }: z.core.$ZodIssue): string {
  if (index === undefined) return `it must be {"endpoints": [...]} with at most ${MAX_ENDPOINTS} of them`;
  return `entry ${Number(index) + 1}: ${[...member, message].join(' ')}`;
}

function urlFault(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'url must be a URL';
  if (url.username !== '' || url.password !== '') return 'url must not contain a user or a password';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowPrivate)) return undefined;
  return 'url must be https (WEBHOOKS_ALLOW_PRIVATE allows http)';
}

export interface WebhooksFileSettings {
  readonly file: string;
  readonly allowPrivate: boolean;
}

export function webhooksFile(
  { file, allowPrivate }: WebhooksFileSettings,
  use: (endpoints: readonly Endpoint[]) => void,
): WatchedFile {
  return new WatchedFile(`the webhooks file ${file}`, file, (text) => use(parseWebhooks(text, allowPrivate)));
}
