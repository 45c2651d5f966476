import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import { checks } from '../src/checks/index.js';
import {
  type CheckResult,
  type ConformanceOptions,
  type ConformanceReport,
  levels,
  NotCheckableError,
  runConformance,
  UnreachableError,
} from '../src/index.js';
import type { LocalServer } from './local-server.js';
import { PlainBookings } from './plain/plain-bookings.js';
import { type PlainResponse, PlainService } from './plain/plain-service.js';

/** Remembers its requests. */
class ObservedService extends PlainService {
  readonly methods = new Set<string>();

  protected override response(request: IncomingMessage): Promise<PlainResponse> {
    this.methods.add(request.method!);
    return super.response(request);
  }
}

/** Responds 401 to requests without a token. */
class GuardedService extends PlainService {
  protected override async response(request: IncomingMessage): Promise<PlainResponse> {
    if (request.headers.authorization === 'Bearer open-sesame') return super.response(request);
    return { status: 401, headers: {} };
  }
}

/** Dies of the first DELETE. The system closes the connections of a process that died, and a moment later its port. */
class DyingService extends PlainService {
  private isDead = false;

  protected override async response(request: IncomingMessage): Promise<PlainResponse> {
    if (request.method !== 'DELETE' && !this.isDead) return super.response(request);
    if (!this.isDead) setTimeout(() => void this.stop(), 50);
    this.isDead = true;
    request.socket.resetAndDestroy();
    return new Promise(() => {});
  }
}

/** Starts a service, checks it, and stops it. */
async function judged(service: LocalServer, options: Omit<ConformanceOptions, 'url'> = {}): Promise<ConformanceReport> {
  const url = await service.start();
  try {
    return await runConformance({ url, ...options });
  } finally {
    await service.stop();
  }
}

/** Those of a run that receives no events. */
const usual = checks.filter(({ level }) => level !== 'events');

const withOutcome = (results: readonly CheckResult[], outcome: string): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

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
  it('passes every check, and again with all that is there then', async () => {
    const service = new PlainService();
    const url = await service.start();
    try {
      for (let round = 0; round < 2; round++) {
        const { results } = await runConformance({ url });
        expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
        expect(withOutcome(results, 'skipped')).toEqual(['limit.headers-time', 'limit.request-time']);
      }
    } finally {
      await service.stop();
    }
  });

  it.each(levels.slice(0, 2))('passes at the level %s, which checks this level and those before it', async (level) => {
    const { results, failed } = await judged(new PlainService(), { level });
    const checked = new Set(levels.slice(0, levels.indexOf(level) + 1));
    expect(failed).toBe(0);
    expect(results.map(({ id }) => id)).toEqual(checks.filter((check) => checked.has(check.level)).map(({ id }) => id));
  });

  it('passes behind a path', async () => {
    class Prefixed extends PlainService {
      protected override async response(request: IncomingMessage): Promise<PlainResponse> {
        if (!request.url!.startsWith('/base/')) return { status: 404, headers: {} };
        request.url = request.url!.slice('/base'.length);
        return super.response(request);
      }
    }
    const service = new Prefixed();
    const url = `${await service.start()}/base/`;
    const { failed } = await runConformance({ url });
    await service.stop();
    expect(failed).toBe(0);
  });
});

describe('A read-only run', () => {
  it('sends only GET, HEAD and OPTIONS, and leaves no booking', async () => {
    const bookings = new PlainBookings();
    for (let n = 0; n < 3; n++) await bookings.create({ n });
    const service = new ObservedService(bookings);
    await judged(service, { readOnly: true });
    expect([...service.methods].toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS']);
    expect(bookings.count).toBe(3);
  });

  it('skips what writes, and says so', async () => {
    const { results } = await judged(new PlainService(), { readOnly: true });
    const writing = usual.filter(({ writes }) => writes).map(({ id }) => id);
    expect(withOutcome(results, 'skipped')).toEqual(expect.arrayContaining(writing));
    const reasons = new Set(results.filter(({ id }) => writing.includes(id)).map(({ reason }) => reason));
    expect([...reasons]).toEqual(['it writes, and this run is read-only']);
  });

  it('skips also what it needs a booking for where there is none, and nothing more where there are some', async () => {
    const bookings = new PlainBookings();
    const service = new PlainService(bookings);
    const url = await service.start();
    try {
      const before = await runConformance({ url, readOnly: true });
      expect(withOutcome(before.results, 'skipped')).toContain('get.etag');
      for (let n = 0; n < 3; n++) await bookings.create({ n });
      const after = await runConformance({ url, readOnly: true });
      const skipped = usual.filter(({ writes, slow }) => writes || slow === true).map(({ id }) => id);
      expect(withOutcome(after.results, 'skipped')).toEqual(skipped);
      expect([before.failed, after.failed]).toEqual([0, 0]);
      expect(bookings.count).toBe(3);
    } finally {
      await service.stop();
    }
  });
});

describe('The options', () => {
  it('can open a guarded service with a header, which is in no report', async () => {
    class GuardedAndFaulty extends GuardedService {
      protected override list(query: string): PlainResponse {
        return query === '' ? super.list(query) : { status: 500, headers: {} };
      }
    }
    const options = { headers: { Authorization: 'Bearer open-sesame' }, readOnly: true };
    expect((await judged(new GuardedService(), options)).failed).toBe(0);
    const faulty = await judged(new GuardedAndFaulty(), options);
    expect(faulty.failed).toBeGreaterThan(20);
    expect(JSON.stringify(faulty)).not.toContain('open-sesame');
  });

  it('end a run before any check with a token that is not taken, which is in no error', async () => {
    const options = { headers: { Authorization: 'Bearer secret' }, onResult: () => expect(true).toBe(false) };
    const error: unknown = await judged(new GuardedService(), options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotCheckableError);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret');
  });

  it('hand out each result as it comes', async () => {
    const seen: CheckResult[] = [];
    const { results } = await judged(new PlainService(), {
      level: 'specification',
      onResult: (result) => seen.push(result),
    });
    expect(seen).toEqual(results);
  });

  it('bound the time that a response may take', async () => {
    class Sleeping extends PlainService {
      protected override response(request: IncomingMessage): Promise<PlainResponse> {
        if (request.headers['if-none-match'] === undefined) return super.response(request);
        return new Promise(() => {});
      }
    }
    const { results } = await judged(new Sleeping(), { readOnly: true, timeout: 1_000 });
    const [failed, ...others] = results.filter(({ outcome }) => outcome === 'failed');
    expect(others).toEqual([]);
    expect(failed).toMatchObject({
      id: 'get.not-found.conditional',
      failure: {
        expected: 'a response',
        got: 'none: not within 1000 ms',
        request: expect.stringContaining('GET /v1/'),
      },
    });
  });

  it.each([
    { url: 'localhost:3000' },
    { url: 'ftp://localhost' },
    { url: 'http://localhost?x=1' },
    { url: 'http://me:secret@localhost' },
    { url: 'http://localhost', timeout: 0 },
    { url: 'http://localhost', timeout: Number.NaN },
    { url: 'http://localhost', level: 'all' as 'interface' },
  ])('are rejected: %j', async (options) => {
    await expect(runConformance(options)).rejects.toThrow(TypeError);
  });

  it('name a place where a service has to be', async () => {
    const service = new PlainService();
    const url = await service.start();
    await service.stop();
    await expect(runConformance({ url })).rejects.toThrow(UnreachableError);
  });
});

describe('A service that dies', () => {
  it('ends the run, which names the request at which it died', async () => {
    const { results } = await runConformance({ url: await new DyingService().start(), timeout: 1_000 });
    expect(results.length).toBeLessThan(usual.length);
    expect(withOutcome(results, 'failed')).toHaveLength(1);
    expect(results.at(-1)).toMatchObject({
      outcome: 'failed',
      failure: {
        expected: 'a service that accepts connections',
        got: expect.stringMatching(/^none after this request: /) as unknown,
        request: expect.stringMatching(/^DELETE /) as unknown,
      },
    });
  });
});
