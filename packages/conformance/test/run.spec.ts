import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { freePort } from 'testing';
import { checks } from '../src/checks/index.js';
import { EventsReceiver } from '../src/events-receiver.js';
import { type CheckResult, NotCheckableError, runConformance, UnreachableError } from '../src/index.js';
import { type Around, invalid, StubService } from './stub-service.js';

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const TOKEN = 'Bearer open-sesame';

/** Responds 401 to requests without a token. */
const guarded: Around = async (request, respond) =>
  request.headers.authorization === TOKEN ? respond() : { status: 401 };

/** Does something with a running service, and stops it. */
async function withService<T>(around: Around | undefined, work: (url: string, service: StubService) => Promise<T>) {
  const service = new StubService(around);
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

describe('A run', () => {
  it('checks a service under a path up to a level, and gives each result as it comes', async () => {
    const seen: CheckResult[] = [];
    const around: Around = async (request, respond) => {
      if (!request.url!.startsWith('/base/')) return { status: 404 };
      request.url = request.url!.slice('/base'.length);
      return respond();
    };
    const run = { level: 'specification', onResult: (result: CheckResult) => seen.push(result) } as const;
    const { results } = await withService(around, (url) => runConformance({ url: `${url}/base/`, ...run }));
    expect(seen).toEqual(results);
    const ofLevel = checks.filter(({ level }) => level === 'specification');
    expect(withOutcome(results, 'passed')).toEqual(ofLevel.map(({ id }) => id));
  });

  it('writes nothing where it is read-only, and skips what needs a booking that is not there', async () => {
    const methods = new Set<string>();
    const around: Around = (request, respond) => {
      methods.add(request.method!);
      return respond();
    };
    const { results } = await withService(around, (url) => runConformance({ url, readOnly: true, timeout: 300 }));
    expect([...methods].toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS']);
    expect(withOutcome(results, 'skipped')).toContain('get.etag');
    for (const reason of [
      'it writes, and this run is read-only',
      'only 0 of 1 bookings are there, and none may be made',
    ])
      expect(reasonsOf(results)).toContain(reason);
  });

  it('skips a check whose payload the own schema of a service rejects', async () => {
    const around: Around = async (_, respond) => {
      const response = await respond();
      const names = response.status === 201 ? Object.keys(response.body!) : [];
      const unknown = names.find((name) => !['booking_id', 'created_at', 'slot', 'guest'].includes(name));
      return unknown === undefined ? response : invalid(`#/${unknown}`, 'is not a member');
    };
    const run = { level: 'interface', payload: { guest: 'Ada' }, timeout: 300 } as const;
    const { results } = await withService(around, (url) => runConformance({ url, ...run }));
    expect(withOutcome(results, 'passed')).toContain('create.location');
    expect(reasonsOf(results)).toContain("the service's own schema rejects a payload of it");
  });
});

describe('A service that requires a token', () => {
  const options = { headers: { Authorization: TOKEN }, readOnly: true } as const;

  it('is checked with it; the token is in no report', async () => {
    const around: Around = async (request, respond) =>
      request.url!.includes('?') ? { status: 500 } : guarded(request, respond);
    const report = await withService(around, (url) => runConformance({ url, timeout: 300, ...options }));
    expect(withOutcome(report.results, 'passed')).toContain('specification.list');
    expect(report.failed).toBeGreaterThan(20);
    expect(JSON.stringify(report)).not.toContain('open-sesame');
  });

  it('is not checked with another one, which is in no error', async () => {
    const run = { headers: { Authorization: 'Bearer secret' }, onResult: () => expect(true).toBe(false) };
    const error: unknown = await withService(guarded, (url) =>
      runConformance({ url, ...run }).catch((thrown: unknown) => thrown),
    );
    expect(error).toBeInstanceOf(NotCheckableError);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret');
  });
});

describe('A service that does not respond', () => {
  it('fails the check that waits for it, after `timeout` milliseconds', async () => {
    const around: Around = (request, respond) => (request.url === '/v2/bookings' ? new Promise(() => {}) : respond());
    const run = { readOnly: true, level: 'specification', timeout: 300 } as const;
    const { results } = await withService(around, (url) => runConformance({ url, ...run }));
    expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      {
        id: 'specification.paths',
        failure: { expected: 'a response', got: 'none: not within 300 ms', request: 'GET /v2/bookings' },
      },
    ]);
  });

  it('ends the run where it died; the failure before that names the request', async () => {
    const dying: StubService = new StubService(async (request, respond) => {
      if (request.method !== 'DELETE') return respond();
      request.socket.resetAndDestroy();
      await dying.stop();
      return respond();
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
