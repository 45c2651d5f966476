import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { freePort } from 'testing';
import { checks } from '../src/checks/index.js';
import { EventsReceiver } from '../src/events-receiver.js';
import type { Slot } from '../src/fixtures.js';
import {
  type CheckResult,
  type ConformanceOptions,
  type ConformanceReport,
  NotCheckableError,
  runConformance,
  UnreachableError,
} from '../src/index.js';
import { type StubOptions, StubService } from './stub-service.js';

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const TOKEN = 'Bearer open-sesame';

const guarded: StubOptions['around'] = async (request, respond) =>
  request.headers.authorization === TOKEN ? respond() : { status: 401 };

/** Runs the kit, by default at the level `specification`. */
async function run(
  stub: StubOptions,
  options: Partial<ConformanceOptions> = {},
  path = '',
): Promise<ConformanceReport> {
  const service = new StubService(stub);
  const url = (await service.start()) + path;
  try {
    return await runConformance({ url, level: 'specification', ...options });
  } finally {
    await service.stop();
  }
}

/** Writes zeros until the other side closes the connection. */
function flood(socket: Socket): void {
  socket.write(Buffer.alloc(65_536), (error) => {
    if (!error) flood(socket);
  });
}

const withOutcome = (results: readonly CheckResult[], outcome: CheckResult['outcome']): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

const reasonOf = (results: readonly CheckResult[], id: string): string | undefined =>
  results.find((result) => result.id === id)!.reason;

const idsOfLevel = (level: string): string[] => checks.filter((check) => check.level === level).map(({ id }) => id);

describe('The checks', () => {
  it('have unique ids, in the order of the headings of docs/interface.md', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    const document = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
    const headings = [...document.matchAll(/^###? (.+)$/gm)].map(([, heading]) => heading!);
    const sections = [...new Set(checks.map(({ section }) => section))];
    expect(sections).toEqual(['The specification', ...headings.filter((heading) => sections.includes(heading))]);
  });
});

describe('A run', () => {
  it('runs the checks of its level below the path of the URL, and returns each result', async () => {
    const seen: CheckResult[] = [];
    const onResult = (result: CheckResult): number => seen.push(result);
    const around: StubOptions['around'] = async (request, respond) => {
      if (!request.url!.startsWith('/base/')) return { status: 500 };
      request.url = request.url!.slice('/base'.length);
      return respond();
    };
    const { results } = await run({ around }, { onResult }, '/base/');
    expect(seen).toEqual(results);
    expect(withOutcome(results, 'passed')).toEqual(idsOfLevel('specification'));
  });

  it('that is read-only skips checks that need a write or a booking', async () => {
    const methods = new Set<string>();
    const around: StubOptions['around'] = async (request, respond) => {
      methods.add(request.method!);
      return respond();
    };
    const { results } = await run({ around }, { level: 'interface', readOnly: true });
    expect([...methods].toSorted()).toEqual(['GET', 'OPTIONS']);
    expect(reasonOf(results, 'get.etag')).toBe('this read-only run found 0 of 1 bookings');
    expect(reasonOf(results, 'create.etag')).toBe('it writes, and this run is read-only');
    expect(reasonOf(results, 'limit.request-time')).toBe('it takes long: use --slow');
  });

  it('skips a check whose payload the schema of the deployment rejects', async () => {
    const errorIn: StubOptions['errorIn'] = ({ guest, slot, ...others }) => {
      if (guest !== 'Ada') return '#/guest';
      if (String((slot as Slot | undefined)?.start) < '2030') return '#/slot/start';
      const [unknown] = Object.keys(others);
      return unknown && `#/${unknown}`;
    };
    const { results } = await run({ errorIn }, { level: 'interface', payload: { guest: 'Ada' } });
    expect(reasonOf(results, 'booking.details.values')).toBe(
      "the service's own schema rejects a payload of this check",
    );
    expect(withOutcome(results, 'passed')).toContain('slot.resource-id.accepted');
    expect(withOutcome(results, 'failed')).toContain('list.window.open');
  });

  it('sends a token that no report contains, even if a connection stays open', async () => {
    const around: StubOptions['around'] = async (request, respond) =>
      request.headers.upgrade === undefined ? guarded(request, respond) : new Promise(() => {});
    const options = { level: 'interface', readOnly: true, headers: { Authorization: TOKEN }, timeout: 2_000 } as const;
    const report = await run({ around }, options);
    const failure = { got: 'none: still open after 2000 ms', request: expect.stringContaining('Upgrade') as unknown };
    expect(report.results.find(({ id }) => id === 'operations.upgrade')).toMatchObject({ failure });
    expect(JSON.stringify(report)).not.toContain('open-sesame');
  });

  it('shows what was sent and received on a connection that does not end, or has another status', async () => {
    const around: StubOptions['around'] = ({ headers, socket }, respond) => {
      if (headers.upgrade === undefined) return respond();
      socket.write('HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\n\r\n');
      return new Promise(() => {});
    };
    const { results } = await run({ around }, { level: 'interface', readOnly: true, timeout: 2_000 });
    expect(results.find(({ id }) => id === 'operations.upgrade')).toMatchObject({
      failure: {
        expected: 'a response that closes the connection',
        got: expect.stringMatching(/^still open after 2000 ms, and received HTTP\/1\.1 426/) as unknown,
        request: expect.stringContaining('Upgrade: websocket') as unknown,
      },
    });
    expect(results.find(({ id }) => id === 'problem.incomplete')).toMatchObject({
      failure: { request: String.raw`bytes "NO HTTP\r\n\r\n"` },
    });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed.filter(({ failure }) => failure?.request === undefined)).toEqual([]);
  });

  it('reads at most 8 MiB of a response that does not end', async () => {
    const around: StubOptions['around'] = ({ headers, socket }, respond) => {
      if (headers['transfer-encoding'] !== 'chunked') return respond();
      socket.write('HTTP/1.1 200 OK\r\n\r\n', () => flood(socket));
      return new Promise(() => {});
    };
    const { results } = await run({ around }, { level: 'interface', readOnly: true, timeout: 60_000 });
    expect(results.find(({ id }) => id === 'operations.chunks')).toMatchObject({
      failure: { got: expect.stringMatching(/^longer than 8 MiB, and received HTTP\/1\.1 200/) as unknown },
    });
  });

  it('shows the request of a list with something else than bookings', async () => {
    const around: StubOptions['around'] = async (request, respond) =>
      request.url!.startsWith('/v1/bookings?')
        ? { status: 200, body: { bookings: [null], next_cursor: null } }
        : respond();
    const { results } = await run({ around }, { level: 'interface' });
    const failure = { request: expect.stringContaining('GET /v1/bookings?') as unknown };
    expect(results.find(({ id }) => id === 'list.window.edges')).toMatchObject({ failure });
  });

  it('shows the first request of a walk with wrong pages, and sends it once', async () => {
    const targets: string[] = [];
    const around: StubOptions['around'] = async (request, respond) => {
      targets.push(`GET ${request.url}`);
      const isList = request.method === 'GET' && request.url!.includes('limit=');
      return isList ? { status: 200, body: { bookings: [], next_cursor: null } } : respond();
    };
    const { results } = await run({ around }, { level: 'interface' });
    const { failure } = results.find(({ id }) => id === 'list.limit.pages')!;
    expect(targets.filter((target) => target === failure?.request)).toHaveLength(1);
  });

  it('does not begin with an invalid token, which no error contains', async () => {
    const onResult = (): void => expect(true).toBe(false);
    const options = { headers: { Authorization: 'Bearer secret' }, onResult };
    const error: unknown = await run({ around: guarded }, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotCheckableError);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret');
  });

  it('fails a check without a response within `timeout` milliseconds', async () => {
    const around: StubOptions['around'] = (request, respond) =>
      request.url === '/v2/bookings' ? new Promise(() => {}) : respond();
    const { results } = await run({ around }, { timeout: 2_000 });
    const failure = { expected: 'a response', got: 'none: not within 2000 ms', request: 'GET /v2/bookings' };
    expect(results.find(({ id }) => id === 'specification.paths')).toMatchObject({ outcome: 'failed', failure });
  });

  it('ends when the service crashes, and shows the last request', async () => {
    const dying: StubService = new StubService({
      around: async (request, respond) => {
        if (request.method !== 'DELETE') return respond();
        request.socket.resetAndDestroy();
        await dying.stop();
        return respond();
      },
    });
    const { results, notRun } = await runConformance({ url: await dying.start() });
    expect(results.length + notRun).toBe(checks.length - idsOfLevel('events').length);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      { id: 'specification.methods', failure: { request: expect.stringMatching(/^DELETE /) as unknown } },
      { failure: { got: expect.stringContaining('ECONNREFUSED') as unknown } },
    ]);
    expect(notRun).toBeGreaterThan(100);
  });

  it('does not begin if no server responds', async () => {
    await expect(runConformance({ url: 'http://127.0.0.1:1' })).rejects.toThrow(UnreachableError);
  });
});

describe('The options', () => {
  const url = 'http://127.0.0.1:1';

  it.each([
    [{ url: 'localhost:3000' }, /^the URL is localhost:3000/],
    [{ url: 'http://me:secret@localhost' }, /without credentials/],
    [{ url, timeout: Number.NaN }, /^the timeout is NaN/],
    [{ url, level: 'all' as 'interface' }, /^the level is all/],
    [{ url, payload: [] }, /^the payload is not a JSON object/],
    [{ url, level: 'events' as const }, /^the level is events: give an endpoint/],
    [{ url, events: { port: Number.NaN, secret } }, /^the port of events is NaN/],
    [{ url, events: { port: 1, secret: 'whsec_AAAA' } }, /^the secret of events is not whsec_/],
  ])('are rejected: %j', async (options, message) => {
    const error = { name: 'TypeError', message: expect.stringMatching(message) as string };
    await expect(runConformance(options)).rejects.toMatchObject(error);
  });

  it('receive at most 1 MiB for an event', async () => {
    const port = await freePort();
    const receiver = await EventsReceiver.start({ port, secret });
    const send = (bytes: number) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: Buffer.alloc(bytes) });
    const outcomes = await Promise.allSettled([send(1_048_576), send(1_048_577)]);
    receiver.close();
    expect(outcomes).toMatchObject([{ status: 'fulfilled', value: { status: 204 } }, { status: 'rejected' }]);
  });

  it('need a free port for events', async () => {
    const port = await freePort();
    const receiver = await EventsReceiver.start({ port, secret });
    await expect(runConformance({ url, events: { port, secret } })).rejects.toThrow(/^nothing can listen on port/);
    receiver.close();
  });
});
