import { check, checksOf } from '../check.js';
import { expectHeader, expectStatus, expectText, expectThat } from '../expectations.js';
import { aKey, aResource, aSlot } from '../fixtures.js';
import { expectProblem } from '../problems.js';
import { readBooking } from '../reading.js';
import { post, type Service } from '../service.js';
import { responds } from '../statements.js';

const ALL_CHARACTERS = "!#$%&'()*+,-./0123456789:;<=>?@ABCXYZ[]^_`abcxyz{|}~";
const TOO_LONG = 'k'.repeat(256);
const BAD_QUOTES = ['""', '"half', 'half"', 'a"b', '"a"b"', '"a\\"b"'];
const BAD_KEYS = ['', TOO_LONG, `"${TOO_LONG}"`, 'a b', 'a\tb', '\u00e9', 'a\\b', '"a";q=1', 'a; q=1', '"a", "b"'];
const TWO_KEYS = [
  ['one', 'other'],
  ['one', 'one'],
  ['one', ''],
  ['"one"', '"other"'],
];

const withKey = (key: string | string[]) => post('{}', { 'idempotency-key': key });

/** Pairs of payloads that differ even in canonical JSON. */
const DIFFERENT_PAYLOADS = [
  [{ a: [1, 2] }, { a: [2, 1] }],
  [{ a: 1 }, { a: '1' }],
  [{ a: 1 }, { a: 1, b: null }],
  [{ a: 'é' }, { a: 'e\u0301' }],
  [{ a: { b: 1 } }, { a: {}, b: 1 }],
] as const;

async function expectReplayed(
  service: Service,
  key: string,
  firstJson: string,
  againJson: string,
  againKey = key,
): Promise<void> {
  const first = await service.post(firstJson, { 'idempotency-key': key });
  readBooking(first);
  expectText(await service.post(againJson, { 'idempotency-key': againKey }), first.text);
}

export const keys = checksOf('Idempotency-Key', 'interface', [
  check('key.syntax.accepted', 'a key has 1 to 255 visible ASCII characters without `"` and `\\`', async (service) => {
    for (const key of [aKey() + ALL_CHARACTERS, aKey().padEnd(255, 'k')]) {
      await expectReplayed(service, key, '{"n":1}', '{"n":1}');
    }
  }),
  check('key.syntax.quotes', 'a bare key and one in double quotes are the same', async (service) => {
    const key = aKey();
    await expectReplayed(service, key, '{}', '{}', `"${key}"`);
  }),
  check('key.syntax.case', 'keys are case-sensitive', async (service) => {
    // As long as may be: the last character counts.
    const key = aKey().padEnd(254, 'k');
    const lower = await service.book({}, `${key}k`);
    const upper = await service.create({}, `${key}K`);
    expectThat(upper, readBooking(upper).booking_id !== lower.booking_id, 'another booking');
  }),
  responds('key.syntax.rejected', 'any other key is 400', 'invalid-request', [...BAD_KEYS, ...BAD_QUOTES].map(withKey)),
  responds('key.syntax.twice', 'two keys are 400', 'invalid-request', TWO_KEYS.map(withKey)),
  check('key.replay', 'same key, same payload: the first 201 again, byte for byte', async (service) => {
    const payload = { slot: aSlot(aResource()), z: 1, a: 'é' };
    const key = aKey();
    const first = await service.create(payload, key);
    readBooking(first);
    for (let attempt = 0; attempt < 2; attempt++) {
      const again = await service.create(payload, key);
      expectText(again, first.text);
      expectStatus(again, first.status);
      for (const name of ['location', 'etag']) expectHeader(again, name, first.headers[name]);
    }
  }),
  check('key.replay.header', '`Idempotent-Replayed: true` is on replays alone', async (service) => {
    const key = aKey();
    expectHeader(await service.create({ n: 1 }, key), 'idempotent-replayed', undefined);
    expectHeader(await service.create({ n: 1 }, key), 'idempotent-replayed', 'true');
    expectHeader(await service.create({ n: 1 }), 'idempotent-replayed', undefined);
  }),
  check('key.reused', 'same key, other payload: 422, and the key still replays its first 201', async (service) => {
    for (const [payload, other] of DIFFERENT_PAYLOADS) {
      const key = aKey();
      const first = await service.create(payload, key);
      readBooking(first);
      expectProblem(await service.create(other, key), 'idempotency-key-reused');
      expectText(await service.create(payload, key), first.text);
    }
  }),
  check('key.canonical', 'payloads are compared in canonical JSON', async (service) => {
    const { resource_id, start, end } = aSlot(aResource());
    const slot = JSON.stringify({ resource_id, start, end });
    const same = JSON.stringify({ end, start, resource_id });
    await expectReplayed(
      service,
      aKey(),
      `{"slot":${slot},"a":{"x":1,"y":[1.0,2]},"b":"é"}`,
      ` {\n"b":"\\u00e9" , "a":{"y":[1,2e0],"x":1}, "slot":${same} }`,
    );
  }),
  check('key.as-sent', 'the same instant with another offset is another payload', async (service) => {
    const key = aKey();
    const slot = { resource_id: aResource(), start: '2030-01-01T09:00:00Z', end: '2030-01-01T10:00:00Z' };
    await service.book({ slot }, key);
    const sameInstant = { ...slot, start: '2030-01-01T10:00:00+01:00' };
    expectProblem(await service.create({ slot: sameInstant }, key), 'idempotency-key-reused');
  }),
  check('key.no-body', 'no body and `{}` are the same payload', async (service) => {
    const key = aKey();
    const first = await service.send({ method: 'POST', headers: { 'idempotency-key': key } });
    readBooking(first);
    expectText(await service.create({}, key), first.text);
  }),
]);
