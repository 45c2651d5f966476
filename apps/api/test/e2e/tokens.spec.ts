import { problemType } from '@booking-service/contracts';
import type { ReceivedResponse } from 'testing/contract';
import { exchange, head, send } from 'testing/raw-http';
import { anApiKey, ApiKeysFile, bearer } from '../support/api-keys.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const writer = anApiKey('writer');
const reader = anApiKey('reader', 'bookings:read');
const blindWriter = anApiKey('blind-writer', 'bookings:write');

let file: ApiKeysFile;
let running: RunningApp;
let bookingPath: string;

beforeAll(async () => {
  file = new ApiKeysFile(writer, reader, blindWriter);
  running = await startApp({ AUTH_API_KEYS_FILE: file.path });
  const made = await ask('POST', '/v1/bookings', `Bearer ${writer.token}`);
  expect(made.status).toBe(201);
  bookingPath = made.headers['location']!;
});
afterAll(async () => {
  await running.close();
  file.remove();
});

const ask = (method: string, target: string, authorization?: string): Promise<ReceivedResponse> =>
  send(running.url, { method, target, ...(authorization !== undefined && { headers: { authorization } }) });

const operations: [string, string, () => string][] = [
  ['GET', 'the list', () => '/v1/bookings'],
  ['HEAD', 'the list', () => '/v1/bookings'],
  ['POST', 'the collection', () => '/v1/bookings'],
  ['GET', 'a booking', () => bookingPath],
  ['HEAD', 'a booking', () => bookingPath],
  ['GET', 'a booking that is not there', () => '/v1/bookings/nothing'],
];

describe.each(operations)('%s of %s', (method, _, target) => {
  it('is rejected without a token, with a challenge', async () => {
    const { status, headers, text } = await ask(method, target());
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="bookings"');
    expect(text).toContain(method === 'HEAD' ? '' : problemType('unauthenticated'));
  });

  it('is rejected with an unknown token', async () => {
    const { status, headers } = await ask(method, target(), bearer(anApiKey('nobody')));
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="bookings", error="invalid_token"');
  });

  it('is rejected with a token of another scope, and the required scope is named', async () => {
    const [scope, other] = method === 'POST' ? ['bookings:write', reader] : ['bookings:read', blindWriter];
    const { status, headers, text } = await ask(method, target(), bearer(other));
    expect(status).toBe(403);
    expect(headers['www-authenticate']).toBe(`Bearer realm="bookings", error="insufficient_scope", scope="${scope}"`);
    expect(text).toContain(method === 'HEAD' ? '' : problemType('forbidden'));
  });

  it('succeeds with a token of the right scope', async () => {
    const { status } = await ask(method, target(), bearer(method === 'POST' ? blindWriter : reader));
    expect(status).toBe(method === 'POST' ? 201 : target().endsWith('nothing') ? 404 : 200);
  });
});

describe('The token', () => {
  const listed = async (...lines: string[]): Promise<ReceivedResponse> =>
    exchange(running.url, head('GET /v1/bookings', ...lines));

  it.each(['Bearer', 'bearer', 'BEARER', 'BeArEr'])('comes after the scheme in any case: %s', async (scheme) => {
    expect((await ask('GET', '/v1/bookings', `${scheme} ${reader.token}`)).status).toBe(200);
  });

  it('may have more spaces before it', async () => {
    expect((await listed(`Authorization:   Bearer   ${reader.token}  `)).status).toBe(200);
  });

  it.each([
    ['no scheme', reader.token],
    ['another scheme', `Basic ${Buffer.from(`reader:${reader.token}`).toString('base64')}`],
    ['a scheme that begins with Bearer', `BearerX ${reader.token}`],
    ['nothing', ''],
  ])('is challenged where the header has %s', async (_what, value) => {
    const { status, headers } = await listed(`Authorization: ${value}`);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="bookings"');
  });

  it.each([
    ['no token', 'Bearer'],
    ['a tab before the token', `Bearer \t${reader.token}`],
    ['two tokens', `Bearer ${reader.token} ${reader.token}`],
    ['a list', `Bearer ${reader.token}, Bearer ${reader.token}`],
    ['a quoted token', `Bearer "${reader.token}"`],
    ['a token with a character too many', `Bearer ${reader.token}é`],
  ])('is rejected where the header has %s', async (_what, value) => {
    const { status, headers } = await listed(`Authorization: ${value}`);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="bookings", error="invalid_request"');
  });

  it('is rejected where it is sent twice, also where both are valid', async () => {
    const line = `Authorization: ${bearer(reader)}`;
    for (const other of [line, 'Authorization: Basic YTpi', 'authorization: Bearer x']) {
      for (const lines of [
        [line, other],
        [other, line],
      ]) {
        const { status, headers, text } = await listed(...lines);
        expect(status).toBe(401);
        expect(headers['www-authenticate']).toBe('Bearer realm="bookings", error="invalid_request"');
        expect(JSON.parse(text)).toMatchObject(aProblem('unauthenticated'));
      }
    }
  });

  it.each([
    ['with another case', () => reader.token.toUpperCase()],
    ['without its last character', () => reader.token.slice(0, -1)],
    ['with one more', () => `${reader.token}a`],
    ['with padding', () => `${reader.token}=`],
    ['as its digest', () => reader.line.split(' ')[1]!.slice('sha256:'.length)],
  ])('is another one %s', async (_, changed) => {
    expect((await ask('GET', '/v1/bookings', `Bearer ${changed()}`)).status).toBe(401);
  });

  it('is not looked for in the URL, in a cookie, nor in the body', async () => {
    expect((await ask('GET', `/v1/bookings?access_token=${reader.token}`)).status).toBe(401);
    expect((await listed(`Cookie: access_token=${reader.token}`, `X-Api-Key: ${reader.token}`)).status).toBe(401);
    const form = `access_token=${writer.token}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const posted = await send(running.url, { method: 'POST', target: '/v1/bookings', headers, body: form });
    expect(posted.status).toBe(401);
  });
});
