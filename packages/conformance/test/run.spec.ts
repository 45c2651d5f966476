import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { freePort } from 'testing';
import { checks } from '../src/checks/index.js';
import { EventsReceiver } from '../src/events-receiver.js';
import { type CheckResult, NotCheckableError, runConformance, UnreachableError } from '../src/index.js';
import { type Difference, PlainService } from './plain/plain-service.js';

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const TOKEN = 'Bearer open-sesame';

/** Responds 401 to requests without a token. */
const guarded: Difference['around'] = async (request, respond) =>
  request.headers.authorization === TOKEN ? respond() : { status: 401, headers: {} };

/** Does something with a running service, and stops it. */
async function withService<T>(difference: Difference, work: (url: string, service: PlainService) => Promise<T>) {
  const service = new PlainService(difference);
  try {
    return await work(await service.start(), service);
  } finally {
    await service.stop();
  }
}

const withOutcome = (results: readonly CheckResult[], outcome: string): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

const reasonsOf = (results: readonly CheckResult[]): Set<string | undefined> =>
  new Set(results.filter(({ outcome }) => outcome === 'skipped').map(({ reason }) => reason));

describe('The checks', () => {
  it('have ids of their own, and stand under headings of docs/interface.md, in its order', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    const document = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
    const headings = [...document.matchAll(/^###? (.+)$/gm)].map(([, heading]) => heading!);
    const sections = [...new Set(checks.map(({ section }) => section))];
    expect(sections).toEqual(['The specification', ...headings.filter((heading) => sections.includes(heading))]);
  });
});

describe('A service that keeps the interface', () => {
  it('passes every check under a path, and then every check of a read-only run, which writes nothing', async () => {
    const port = await freePort();
    const methods = new Set<string>();
    const difference: Difference = {
      endpoint: { url: `http://127.0.0.1:${port}/`, secret },
      around: async (request, respond) => {
        if (!request.url!.startsWith('/base/')) return { status: 404, headers: {} };
        request.url = request.url!.slice('/base'.length);
        methods.add(request.method!);
        return respond();
      },
    };
    await withService(difference, async (url, { bookings }) => {
      const all = await runConformance({ url: `${url}/base/`, events: { port, secret } });
      expect(all.level).toBe('events');
      expect(all.results.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
      expect(all.results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(withOutcome(all.results, 'skipped')).toEqual(['limit.headers-time', 'limit.request-time']);

      methods.clear();
      const { count } = bookings;
      const { results, passed } = await runConformance({ url: `${url}/base`, readOnly: true });
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(reasonsOf(results)).toEqual(
        new Set(['it writes, and this run is read-only', 'it takes long, and this run is not slow']),
      );
      expect(passed).toBeGreaterThan(50);
      expect([...methods].toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS']);
      expect(bookings.count).toBe(count);
    });
  });

  it('is not failed by a read-only run that needs a booking where there is none', async () => {
    const { results, failed } = await withService({}, (url) => runConformance({ url, readOnly: true }));
    expect(failed).toBe(0);
    expect(withOutcome(results, 'skipped')).toContain('get.etag');
    expect(reasonsOf(results)).toContain('only 0 of 1 bookings are there, and none may be made');
  });

  it('is checked up to a level, each result as it comes', async () => {
    const seen: CheckResult[] = [];
    const onResult = (result: CheckResult): number => seen.push(result);
    const { results } = await withService({}, (url) => runConformance({ url, level: 'specification', onResult }));
    expect(seen).toEqual(results);
    const ofLevel = checks.filter(({ level }) => level === 'specification');
    expect(withOutcome(results, 'passed')).toEqual(ofLevel.map(({ id }) => id));
  });
});

describe('A service that requires a token', () => {
  const options = { headers: { Authorization: TOKEN }, readOnly: true } as const;

  it('is checked with it; the token is in no report', async () => {
    const around: Difference['around'] = async (request, respond) =>
      request.url!.includes('?') ? { status: 500, headers: {} } : guarded(request, respond);
    const report = await withService({ around }, (url) => runConformance({ url, ...options }));
    expect(withOutcome(report.results, 'passed')).toContain('operations.list.status');
    expect(report.failed).toBeGreaterThan(20);
    expect(JSON.stringify(report)).not.toContain('open-sesame');
  });

  it('is not checked with another one, which is in no error', async () => {
    const run = { headers: { Authorization: 'Bearer secret' }, onResult: () => expect(true).toBe(false) };
    const error: unknown = await withService({ around: guarded }, (url) =>
      runConformance({ url, ...run }).catch((thrown: unknown) => thrown),
    );
    expect(error).toBeInstanceOf(NotCheckableError);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret');
  });
});

describe('A service that does not respond', () => {
  it('fails the check that waits for it, after `timeout` milliseconds', async () => {
    const around: Difference['around'] = (request, respond) =>
      request.headers['if-none-match'] === undefined ? respond() : new Promise(() => {});
    const run = { readOnly: true, timeout: 1_000 };
    const { results } = await withService({ around }, (url) => runConformance({ url, ...run }));
    const request = expect.stringMatching(/^GET \/v1\//) as unknown;
    expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      {
        id: 'get.not-found.conditional',
        failure: { expected: 'a response', got: 'none: not within 1000 ms', request },
      },
    ]);
  });

  it('ends the run where it died; the failure before that names the request', async () => {
    const dying: PlainService = new PlainService({
      around: async (request, respond) => {
        if (request.method !== 'DELETE') return respond();
        request.socket.resetAndDestroy();
        await dying.stop();
        return respond();
      },
    });
    const { results, notRun } = await runConformance({ url: await dying.start() });
    expect(results.length).toBeLessThan(checks.length / 2);
    expect(results.length + notRun).toBe(checks.filter(({ level }) => level !== 'events').length);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      { failure: { request: expect.stringMatching(/^DELETE /) as unknown } },
      { failure: { got: expect.stringContaining('ECONNREFUSED') as unknown } },
    ]);
  });

  it('is unreachable where it never was', async () => {
    const run = runConformance({ url: 'http://127.0.0.1:1' });
    await expect(run).rejects.toThrow(UnreachableError);
  });
});

describe('The options', () => {
  const url = 'http://127.0.0.1:1';

  it.each([
    [{ url: 'localhost:3000' }, /^the URL is localhost:3000/],
    [{ url: 'ftp://localhost' }, /^the URL is/],
    [{ url: 'http://localhost?x=1' }, /^the URL is/],
    [{ url: 'http://me:secret@localhost' }, /without credentials/],
    [{ url, timeout: 0 }, /^the timeout is 0/],
    [{ url, timeout: Number.NaN }, /^the timeout is NaN/],
    [{ url, level: 'all' as 'interface' }, /^the level is all/],
    [{ url, payload: [] }, /^the payload is not a JSON object/],
    [{ url, level: 'events' as const }, /^the level is events: say where/],
    [{ url, events: { port: 0, secret } }, /^the port of events is 0/],
    [{ url, events: { port: Number.NaN, secret } }, /^the port of events is NaN/],
    [{ url, events: { port: 1, secret: 'x' } }, /^the secret of events is not whsec_/],
    [{ url, events: { port: 1, secret: 'whsec_AAAA' } }, /^the secret of events is not whsec_/],
  ])('are rejected: %j', async (options, message) => {
    await expect(runConformance(options)).rejects.toThrow(TypeError);
    await expect(runConformance(options)).rejects.toThrow(message);
  });

  it('name a free port for events', async () => {
    const port = await freePort();
    const receiver = await EventsReceiver.start({ port, secret });
    await expect(runConformance({ url, events: { port, secret } })).rejects.toThrow(/^nothing can listen on port/);
    receiver.close();
  });
});
