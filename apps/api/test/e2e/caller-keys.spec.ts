import type { BookingDto } from '@booking-service/contracts';
import { type Api, api } from '../support/api.js';
import { anApiKey, ApiKeysFile, type TestKey } from '../support/api-keys.js';
import { aKey, aProblem, aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { TestIssuer } from '../support/test-issuer.js';

const desk = anApiKey('desk');
const deskAgain = anApiKey('desk');
const kiosk = anApiKey('kiosk');

let issuer: TestIssuer;
let file: ApiKeysFile;
let running: RunningApp;
let service: Api;

beforeAll(async () => {
  issuer = await TestIssuer.start();
  file = new ApiKeysFile(desk, deskAgain, kiosk);
  running = await startApp({ AUTH_API_KEYS_FILE: file.path, ...issuer.settings });
  service = api(running.url);
});
afterAll(async () => {
  await running.close();
  await issuer.stop();
  file.remove();
});

const createAs = (token: string, key: string, payload: object) =>
  service.post('/v1/bookings').auth(token, { type: 'bearer' }).set('Idempotency-Key', key).send(payload);

const idOf = ({ body }: { body: unknown }): string => (body as BookingDto).booking_id;

describe('One idempotency key', () => {
  it.each<[string, () => Promise<[string, string]>]>([
    ['two API keys', async () => [desk.token, kiosk.token]],
    ['two subjects', async () => [await issuer.token(), await issuer.token({ sub: 'grace' })]],
    ['an API key and a subject of its name', async () => [desk.token, await issuer.token({ sub: 'desk' })]],
  ])('is two of %s', async (_, tokensOf) => {
    const [one, other] = await tokensOf();
    const key = aKey();
    const first = await createAs(one, key, { note: 'the same' }).expect(201);
    const second = await createAs(other, key, { note: 'the same' }).expect(201);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect(idOf(second)).not.toBe(idOf(first));
    await createAs(one, key, { note: 'another' }).expect(422);
    const again = await createAs(one, key, { note: 'the same' }).expect(201);
    expect(again.text).toBe(first.text);
  });

  it.each<[string, () => Promise<[string, string]>]>([
    ['two tokens of one API key', async () => [desk.token, deskAgain.token]],
    ['two tokens of one subject', async () => [await issuer.token(), await issuer.token({ jti: 'next', exp: 90 })]],
  ])('is one of %s', async (_, tokensOf) => {
    const [one, other] = await tokensOf();
    const key = aKey();
    const first = await createAs(one, key, { slot: aSlot(aResource()) }).expect(201);
    const slot = (first.body as BookingDto).slot;
    const again = await createAs(other, key, { slot }).expect(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const { body } = await createAs(other, key, { note: 'another' }).expect(422);
    expect(body).toMatchObject(aProblem('idempotency-key-reused'));
  });

  it('reveals nothing of the booking that another caller made with it', async () => {
    const key = aKey();
    const slot = aSlot(aResource());
    await createAs(desk.token, key, { slot, guest: 'Ada' }).expect(201);
    const { text } = await createAs(kiosk.token, key, { slot, guest: 'Ada' }).expect(409);
    expect(text).not.toContain('Ada');
  });

  it('may have the full length', async () => {
    const key = 'k'.repeat(255);
    const made = await Promise.all([desk, kiosk].map(({ token }: TestKey) => createAs(token, key, {}).expect(201)));
    expect(new Set(made.map(idOf)).size).toBe(2);
  });

  it('makes one booking for each caller out of 20 duplicates at once', async () => {
    const key = aKey();
    const tokens = Array.from({ length: 20 }, (_, index) => [desk, kiosk][index % 2]!.token);
    const made = await Promise.all(tokens.map((token) => createAs(token, key, { note: 'once' }).expect(201)));
    expect(new Set(made.map(idOf)).size).toBe(2);
    expect(made.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(2);
  });
});
