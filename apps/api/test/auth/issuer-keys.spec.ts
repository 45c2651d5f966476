import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { aSigningKey, TestIssuer } from '../support/test-issuer.js';
import { until } from '../support/until.js';

const { jest } = import.meta;

const MINUTES = 60_000;

const now = performance.now.bind(performance);
let ahead = 0;
let issuer: TestIssuer;
let running: RunningApp | undefined;

beforeEach(async () => {
  issuer = await TestIssuer.start();
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await issuer.stop();
  jest.restoreAllMocks();
  ahead = 0;
});

async function start(env: Record<string, string> = {}): Promise<void> {
  running = await startApp({ ...issuer.settings, ...env });
}

async function listWith(token: string): Promise<Response> {
  return fetch(`${running!.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } });
}

const statusWith = async (token: string): Promise<number> => (await listWith(token)).status;

/** Lets keys grow old. The wall clock, by which tokens expire, goes on as it was. */
function later(milliseconds: number): void {
  ahead += milliseconds;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
}

/** Old keys are fetched in the background of the request that finds them old. */
const untilRejected = (token: string): Promise<number> => until(async () => (await statusWith(token)) === 401);

const warned = (): string => running!.logged.join('');

const fetches = (path: string): number => issuer.requested.filter((each) => each === path).length;

describe('The keys of the issuer', () => {
  it('are fetched at start, once for however many requests', async () => {
    await start();
    const token = await issuer.token();
    expect(await Promise.all(Array.from({ length: 20 }, () => statusWith(token)))).toEqual(Array(20).fill(200));
    expect(issuer.requested).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  it('are fetched from where the setting says, without a request for the metadata', async () => {
    await start({ AUTH_OIDC_JWKS_URI: `${issuer.url}/jwks` });
    expect(await statusWith(await issuer.token())).toBe(200);
    expect(issuer.requested).toEqual(['/jwks']);
  });

  it('need no name in the token while only one of them fits', async () => {
    await start();
    const [first] = issuer.published;
    const nameless = await issuer.token({}, { kid: undefined as never }, first);
    expect(await statusWith(nameless)).toBe(200);
    issuer.published.push(await aSigningKey('RS256'));
    later(11 * MINUTES);
    await untilRejected(nameless);
    expect(await statusWith(await issuer.token({}, {}, first))).toBe(200);
  });

  it('are fetched again for a token of an added key', async () => {
    await start();
    expect(await statusWith(await issuer.token())).toBe(200);
    const added = await aSigningKey('ES256');
    issuer.published.push(added);
    later(1 * MINUTES);
    expect(await statusWith(await issuer.token({}, {}, added))).toBe(200);
    expect(await statusWith(await issuer.token())).toBe(200);
  });

  it('are not fetched again for every token of an unknown key', async () => {
    await start();
    expect(await statusWith(await issuer.token())).toBe(200);
    const before = fetches('/jwks');
    for (let round = 0; round < 10; round++) {
      expect(await statusWith(await issuer.token({}, {}, await aSigningKey('ES256')))).toBe(401);
    }
    expect(fetches('/jwks')).toBe(before);
    later(1 * MINUTES);
    for (let round = 0; round < 10; round++) {
      expect(await statusWith(await issuer.token({}, {}, await aSigningKey('ES256')))).toBe(401);
    }
    expect(fetches('/jwks')).toBe(before + 1);
  });

  it('that the issuer withdrew are rejected after ten minutes', async () => {
    await start();
    const withdrawn = await issuer.token();
    expect(await statusWith(withdrawn)).toBe(200);
    issuer.published = [await aSigningKey('ES256')];
    later(11 * MINUTES);
    await untilRejected(withdrawn);
    expect(await statusWith(await issuer.token())).toBe(200);
  });

  it('are found again where the issuer moves them', async () => {
    await start();
    expect(await statusWith(await issuer.token())).toBe(200);
    issuer.published = [await aSigningKey('ES256')];
    issuer.keysPath = '/moved';
    later(1 * MINUTES);
    expect(await statusWith(await issuer.token())).toBe(503);
    later(2 * MINUTES);
    expect(await statusWith(await issuer.token())).toBe(200);
  });

  it('stay in use for a day while the issuer is unavailable, and no longer', async () => {
    await start();
    const token = await issuer.token();
    expect(await statusWith(token)).toBe(200);
    issuer.instead = (response) => response.destroy();
    later(23 * 60 * MINUTES);
    expect(await statusWith(token)).toBe(200);
    await until(() => warned().includes('cannot be fetched'));
    expect(await statusWith(token)).toBe(200);
    later(2 * 60 * MINUTES);
    expect(await statusWith(token)).toBe(503);
    // As readiness says then.
    await until(async () => (await fetch(`${running!.url}/health/ready`)).status === 503);
  });
});

/** More than 256 KiB, and less than 1 KiB where it is compressed. */
const filler = 'x'.repeat(300_000);

function* endless(): Generator<Buffer> {
  yield Buffer.from('{"keys":[');
  for (;;) yield Buffer.alloc(65_536, ' ');
}

describe('An issuer that is unavailable', () => {
  it('is read no further than 256 KiB, of its metadata as of its keys', async () => {
    let sent = 0;
    const count = function* (): Generator<Buffer> {
      for (const piece of endless()) {
        sent += piece.length;
        yield piece;
      }
    };
    for (const env of [{}, { AUTH_OIDC_JWKS_URI: `${issuer.url}/jwks` }]) {
      sent = 0;
      issuer.instead = (response) => void pipeline(count(), response).catch(() => {});
      await start(env);
      const begun = performance.now();
      expect(await statusWith(await issuer.token())).toBe(503);
      // Not by the time limit of the fetch, but by its size; the rest is in the buffers of the sockets.
      expect(warned()).toContain('is larger than 262144 bytes');
      expect(performance.now() - begun).toBeLessThan(2_000);
      expect(sent).toBeLessThan(20_000_000);
      await running?.close();
      running = undefined;
    }
  });

  it.each<[string, () => void]>([
    ['closes the connection', () => (issuer.instead = (response) => response.destroy())],
    ['responds with an error', () => (issuer.instead = (response) => response.writeHead(500).end())],
    ['redirects', () => (issuer.instead = (response) => response.writeHead(302, { location: '/jwks' }).end())],
    ['responds with something else', () => (issuer.instead = (response) => response.end('<html>'))],
    [
      'sends no end of its response',
      () => (issuer.instead = (response) => void pipeline(endless(), response).catch(() => {})),
    ],
    [
      'responds with more than 256 KiB, compressed',
      () => {
        issuer.instead = (response) => {
          const document = JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks`, keys: [], x: filler });
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(document));
        };
      },
    ],
    ['responds without the required members', () => (issuer.instead = (response) => response.end('{}'))],
    ['never responds', () => (issuer.instead = () => {})],
    ['gives the metadata of another one', () => (issuer.metadata = { issuer: 'https://other.example' })],
    ['leads to keys that anyone between could change', () => (issuer.metadata = { jwks_uri: 'http://a.example/jwks' })],
  ])('makes the response 503, and its return is noticed: it %s', async (_, breakIt) => {
    breakIt();
    await start();
    const token = await issuer.token();
    const response = await listWith(token);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    const { type, detail } = (await response.json()) as { type: string; detail: string };
    expect(type).toBe('urn:problem-type:bookings:unavailable');
    expect(detail).not.toMatch(/127\.0\.0\.1|http/);
    expect(warned()).toContain(`The keys of ${issuer.url} cannot be fetched`);
    issuer.instead = undefined;
    issuer.metadata = {};
    later(2_000);
    expect(await statusWith(token)).toBe(200);
  });

  it('gets no request for a second after a failure, however many requests come', async () => {
    issuer.instead = (response) => response.writeHead(500).end();
    await start();
    const token = await issuer.token();
    expect(await statusWith(token)).toBe(503);
    const before = issuer.requested.length;
    expect(await Promise.all(Array.from({ length: 20 }, () => statusWith(token)))).toEqual(Array(20).fill(503));
    expect(issuer.requested.length).toBe(before);
  });

  it('gets a request again after that second, also while requests keep coming', async () => {
    issuer.instead = (response) => response.writeHead(500).end();
    await start();
    const token = await issuer.token();
    expect(await statusWith(token)).toBe(503);
    issuer.instead = undefined;
    expect(await until(async () => (await statusWith(token)) === 200)).toBeLessThan(5_000);
  });

  it('does not keep a request without a token waiting', async () => {
    issuer.instead = () => {};
    await start();
    const begun = performance.now();
    expect((await fetch(`${running!.url}/v1/bookings`)).status).toBe(401);
    expect(performance.now() - begun).toBeLessThan(1_000);
    await until(() => warned().includes('cannot be fetched'));
  });
});

describe('The log', () => {
  it('has no token in it, nor any part of one, good or bad', async () => {
    await start();
    const tokens = [
      await issuer.token(),
      await issuer.token({ exp: -100 }),
      await issuer.token({}, {}, await aSigningKey('ES256')),
      'bookings_secret',
    ];
    const responses: string[] = [];
    for (const token of tokens) responses.push(await (await listWith(token)).text());
    issuer.instead = (response) => response.destroy();
    later(25 * 60 * MINUTES);
    for (const token of tokens) responses.push(await (await listWith(token)).text());
    expect(warned()).toContain('503');
    for (const part of tokens.flatMap((token) => token.split('.')))
      expect(warned() + responses.join()).not.toContain(part);
  });
});

describe('A service whose issuer is unavailable', () => {
  const ready = async (): Promise<[number, unknown]> => {
    const response = await fetch(`${running!.url}/health/ready`);
    return [response.status, await response.json()];
  };
  const keysAge = async (): Promise<string | undefined> =>
    /^oidc_keys_age_seconds ([\d.]+)$/m.exec(await (await fetch(`${running!.url}/metrics`)).text())?.[1];
  const messages = (): string[] =>
    running!.logged.map((line) => (JSON.parse(line) as { msg: string }).msg.replace(issuer.url, 'ISSUER'));

  it('is ready once it has its keys, and logs one line when they cannot be fetched and one when they are', async () => {
    issuer.instead = (response) => response.writeHead(500).end();
    await start();
    expect(await ready()).toMatchObject([503, { detail: 'Not ready: issuer.' }]);
    expect(await keysAge()).toBeUndefined();
    await until(() => issuer.requested.length > 2);
    issuer.instead = undefined;
    await until(async () => (await ready())[0] === 200);
    expect(Number(await keysAge())).toBeLessThan(10);
    expect(messages()).toEqual([
      expect.stringMatching(/^The keys of ISSUER cannot be fetched: .* 500$/),
      'The keys of ISSUER are fetched again.',
    ]);
  });

  it('is ready without them where API keys are accepted too', async () => {
    issuer.instead = (response) => response.writeHead(500).end();
    const file = new ApiKeysFile(anApiKey('desk'));
    await start({ AUTH_API_KEYS_FILE: file.path });
    file.remove();
    expect((await ready())[0]).toBe(200);
  });
});
