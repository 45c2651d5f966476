import { type BookingDto, problemType } from '@booking-service/contracts';
import { untilClosed } from 'testing';
import type { ReceivedResponse } from 'testing/contract';
import { exchange, head, send } from 'testing/raw-http';
import { anApiKey, ApiKeysFile, bearer, type TestKey } from '../support/api-keys.js';
import { type Api, api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { TestIssuer } from '../support/test-issuer.js';

const writer = anApiKey('writer');
const writerAgain = anApiKey('writer');
const reader = anApiKey('reader', 'bookings:read');
const blindWriter = anApiKey('blind-writer', 'bookings:write');

let issuer: TestIssuer;
let file: ApiKeysFile;
let running: RunningApp;
let service: Api;
let bookingPath: string;

beforeAll(async () => {
  issuer = await TestIssuer.start();
  file = new ApiKeysFile(writer, writerAgain, reader, blindWriter);
  running = await startApp({ AUTH_API_KEYS_FILE: file.path, ...issuer.settings });
  service = api(running.url);
  const made = await ask('POST', '/v1/bookings', bearer(writer));
  expect(made.status).toBe(201);
  bookingPath = made.headers['location']!;
});
afterAll(async () => {
  await running.close();
  await issuer.stop();
});

const ask = (method: string, target: string, authorization?: string): Promise<ReceivedResponse> =>
  send(running.url, { method, target, ...(authorization !== undefined && { headers: { authorization } }) });

describe.each<[string, string, () => string]>([
  ['GET', 'the list', () => '/v1/bookings'],
  ['HEAD', 'the list', () => '/v1/bookings'],
  ['POST', 'the collection', () => '/v1/bookings'],
  ['GET', 'a booking', () => bookingPath],
  ['HEAD', 'a booking', () => bookingPath],
])('%s of %s', (method, _, target) => {
  const isCreate = method === 'POST';
  const scope = isCreate ? 'bookings:write' : 'bookings:read';
  const good = isCreate ? blindWriter : reader;
  const other = isCreate ? reader : blindWriter;

  it.each<[string, number, TestKey | undefined, string | undefined]>([
    ['no token', 401, undefined, 'Bearer realm="bookings"'],
    ['an unknown token', 401, anApiKey('nobody'), 'Bearer realm="bookings", error="invalid_token"'],
    ['another scope', 403, other, `Bearer realm="bookings", error="insufficient_scope", scope="${scope}"`],
    ['the right scope', isCreate ? 201 : 200, good, undefined],
  ])('with %s is %i', async (_token, status, key, challenge) => {
    const response = await ask(method, target(), key && bearer(key));
    expect([response.status, response.headers['www-authenticate']]).toEqual([status, challenge]);
    if (status < 400 || method === 'HEAD') return;
    expect(response.text).toContain(problemType(status === 401 ? 'unauthenticated' : 'forbidden'));
  });
});

describe('The token', () => {
  const listed = async (...lines: string[]): Promise<ReceivedResponse> =>
    exchange(running.url, head('GET /v1/bookings', ...lines));

  it.each([
    ['spaces around it and a scheme in any case', 200, `  BeArEr   ${reader.token}  `, undefined],
    ['another scheme', 401, `Basic ${reader.token}`, ''],
    ['an empty value', 401, '', ''],
    ['the scheme alone', 401, 'Bearer', ', error="invalid_request"'],
    ['an invalid character', 401, `Bearer ${reader.token}é`, ', error="invalid_request"'],
    ['a token in upper case', 401, `Bearer ${reader.token.toUpperCase()}`, ', error="invalid_token"'],
    ['its digest', 401, `Bearer ${reader.line.split(':')[1]!.split(' ')[0]!}`, ', error="invalid_token"'],
  ])('in a header with %s is %i', async (_, status, value, error) => {
    const response = await listed(`Authorization: ${value}`);
    const challenge = error === undefined ? undefined : `Bearer realm="bookings"${error}`;
    expect([response.status, response.headers['www-authenticate']]).toEqual([status, challenge]);
  });

  it('is rejected where two are sent, even if both are valid', async () => {
    for (const other of ['Bearer x', 'Basic YTpi', bearer(reader)]) {
      const { status, headers } = await listed(`Authorization: ${bearer(reader)}`, `Authorization: ${other}`);
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="bookings", error="invalid_request"']);
    }
  });

  it('is not looked for in the URL nor in other headers', async () => {
    expect((await ask('GET', `/v1/bookings?access_token=${reader.token}`)).status).toBe(401);
    expect((await listed(`Cookie: access_token=${reader.token}`, `X-Api-Key: ${reader.token}`)).status).toBe(401);
  });

  it('is judged before the key, the type and the size of a create, and before its body is sent', async () => {
    const wrong = ['Idempotency-Key: a b', 'Content-Type: text/plain', 'Content-Length: 1000000000'];
    const statusWith = async (...lines: string[]) =>
      (await exchange(running.url, head('POST /v1/bookings', ...wrong, ...lines))).status;
    expect([await statusWith(), await statusWith(`Authorization: ${bearer(reader)}`)]).toEqual([401, 403]);
  });

  it('that is invalid leaves the body unread, and the body is not parsed as a request', async () => {
    const inner = head('POST /v1/bookings', `Authorization: ${bearer(writer)}`, 'Content-Length: 0');
    const next = head('GET /v1/bookings?limit=1', `Authorization: ${bearer(reader)}`, 'Connection: close');
    const received = await untilClosed(
      running.url,
      head('POST /v1/bookings', `Content-Length: ${inner.length}`) + inner + next,
    );
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
});

describe('Outside the operations,', () => {
  it.each([
    ['GET', '/health/live', 200, 200],
    ['GET', '/health/ready', 200, 200],
    ['GET', '/metrics', 200, 200],
    ['GET', '/docs', 200, 200],
    ['GET', '/openapi.json', 200, 200],
    ['GET', '/V1/bookings', 404, 404],
    ['OPTIONS', '/v1/bookings', 204, 204],
    ['GET', '/v1', 401, 404],
    ['GET', '/v1/nothing', 401, 404],
    ['POST', '/v1/bookings/', 401, 404],
    ['DELETE', '/v1/bookings', 401, 405],
  ])('%s %s is %i without a token, and %i with a token of any scope', async (method, target, without, withOne) => {
    expect((await ask(method, target)).status).toBe(without);
    expect((await ask(method, target, bearer(reader))).status).toBe(withOne);
  });
});

describe('One idempotency key', () => {
  const createAs = (token: string, key: string, payload: object) =>
    service.post('/v1/bookings').auth(token, { type: 'bearer' }).set('Idempotency-Key', key).send(payload);
  const idOf = ({ body }: { body: unknown }): string => (body as BookingDto).booking_id;

  it.each<[string, () => Promise<[string, string]>]>([
    ['two API keys', async () => [writer.token, blindWriter.token]],
    ['two subjects', async () => [await issuer.token(), await issuer.token({ sub: 'grace' })]],
    ['an API key and a subject of its name', async () => [writer.token, await issuer.token({ sub: 'writer' })]],
  ])("is two keys for %s, which learn nothing of each other's bookings", async (_, tokensOf) => {
    const [one, other] = await tokensOf();
    const key = `${aKey()}${'k'.repeat(219)}`;
    const first = await createAs(one, key, { guest: 'Ada', slot: aSlot(aResource()) }).expect(201);
    const { slot } = first.body as BookingDto;
    const taken = await createAs(other, key, { guest: 'Ada', slot }).expect(409);
    expect(taken.text).not.toContain('Ada');
    const second = await createAs(other, key, { guest: 'Ada' }).expect(201);
    expect(idOf(second)).not.toBe(idOf(first));
    await createAs(one, key, { note: 'another' }).expect(422);
    expect((await createAs(one, key, { guest: 'Ada', slot }).expect(201)).text).toBe(first.text);
  });

  it.each<[string, () => Promise<[string, string]>]>([
    ['two tokens of one API key', async () => [writer.token, writerAgain.token]],
    ['two tokens of one subject', async () => [await issuer.token(), await issuer.token({ jti: 'next', exp: 90 })]],
  ])('is one key for %s', async (_, tokensOf) => {
    const [one, other] = await tokensOf();
    const key = aKey();
    const { text } = await createAs(one, key, { note: 'once' }).expect(201);
    const replay = await createAs(other, key, { note: 'once' }).expect('Idempotent-Replayed', 'true');
    expect(replay.text).toBe(text);
  });
});
