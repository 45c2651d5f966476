import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Level } from './check.js';
import type { EventsOptions } from './events-receiver.js';
import type { ConformanceOptions } from './options.js';

export const help = `Usage: bookings-conformance [options] URL

Checks whether the service at URL keeps the Booking Service Interface (Preview).

  --level LEVEL           specification: the three operations alone
                          interface: also every statement of docs/interface.md
                          concurrency: also races, retries and walks under writes (default)
                          events: also what the service sends to an endpoint of this run
  --read-only             send only GET, HEAD and OPTIONS; make no bookings
  --slow                  also check the time limits, which takes 16 s
  --header 'NAME: VALUE'  a header of every request; can be repeated
  --payload FILE          a JSON payload that the schema of the service accepts
  --json                  print the report of \`runConformance\` as JSON
  --events-port PORT      receive events: http://127.0.0.1:PORT is an endpoint of the service
  --events-secret SECRET  the secret of that endpoint, whsec_...
  --events-host ADDRESS   listen on this address (default 127.0.0.1)
  --help                  this text

Exit code: 0 if no check failed, 1 if one did, 2 if the run could not begin.
`;

/** @throws TypeError for wrong usage */
export function parseCli(args: readonly string[]): (ConformanceOptions & { json: boolean }) | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      level: { type: 'string' },
      'read-only': { type: 'boolean' },
      slow: { type: 'boolean' },
      header: { type: 'string', multiple: true },
      payload: { type: 'string' },
      json: { type: 'boolean', default: false },
      'events-port': { type: 'string' },
      'events-secret': { type: 'string' },
      'events-host': { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const [url, ...more] = positionals;
  if (url === undefined || more.length > 0) throw new TypeError('give one URL; see --help');
  return {
    url,
    // `runConformance` validates the level and the payload.
    level: values.level as Level | undefined,
    readOnly: values['read-only'],
    json: values.json,
    slow: values.slow,
    headers: Object.fromEntries((values.header ?? []).map(parseHeader)),
    payload: values.payload === undefined ? undefined : readPayload(values.payload),
    events: eventsFrom(values['events-port'], values['events-secret'], values['events-host']),
  };
}

function eventsFrom(port?: string, secret?: string, host?: string): EventsOptions | undefined {
  if (port === undefined && secret === undefined && host === undefined) return undefined;
  if (port === undefined || secret === undefined) throw new TypeError('give both --events-port and --events-secret');
  return { port: Number(port || Number.NaN), secret, host };
}

function readPayload(path: string): object {
  try {
    return JSON.parse(readFileSync(resolve(process.env['INIT_CWD'] ?? '', path), 'utf8')) as object;
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${(error as NodeJS.ErrnoException).code}`;
    throw new TypeError(`the file of --payload ${why}`, { cause: error });
  }
}

/** Parses a header line (RFC 9112 §5). */
function parseHeader(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([^\0\r\n]*?)[ \t]*$/.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    // The line may contain a secret, so the message leaves it out.
    throw new TypeError('--header needs NAME: VALUE');
  }
  return [name, value];
}
