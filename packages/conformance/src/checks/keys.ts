import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectHeader, expectText, expectThat } from '../expectations.js';
import { aKey, aResource, aSlot } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { readBooking } from '../reading.js';
import type { Service } from '../service.js';

const post = (service: Service, json: string, key: string): Promise<ReceivedResponse> =>
  service.post(json, { 'idempotency-key': key });

const ALL_CHARACTERS = "!#$%&'()*+,-./0123456789:;<=>?@ABCXYZ[]^_`abcxyz{|}~";

export const keySyntax = checksOf('Idempotency-Key', 'interface', [
  {
    id: 'key.syntax.accepted',
    title: 'a key has 1 to 255 visible ASCII characters without " and \\',
    writes: true,
    run: async (service) => {
      const key = aKey();
      for (const name of [`${key}${ALL_CHARACTERS}`, key.padEnd(255, 'k')]) {
        const first = await post(service, '{"n":1}', name);
        expectText(await post(service, '{"n":1}', name), readBooking(first) && first.text);
      }
    },
  },
  {
    id: 'key.syntax.quotes',
    title: 'bare and in double quotes are the same key',
    writes: true,
    run: async (service) => {
      const key = aKey();
      const first = await post(service, '{}', key);
      readBooking(first);
      expectText(await post(service, '{}', `"${key}"`), first.text);
    },
  },
  {
    id: 'key.syntax.case',
    title: 'upper and lower case differ',
    writes: true,
    run: async (service) => {
      const key = aKey();
      const lower = readBooking(await post(service, '{}', `${key}k`)).booking_id;
      const upper = await post(service, '{}', `${key}K`);
      expectThat(upper, readBooking(upper).booking_id !== lower, 'another booking');
    },
  },
  {
    id: 'key.syntax.rejected',
    title: 'a key that is empty, too long, quoted on one side, with parameters or other characters is 400',
    writes: true,
    run: async (service) => {
      const long = 'k'.repeat(256);
      const quoted = ['""', '"half', 'half"', 'a"b', '"a"b"', '"a\\"b"', 'a\\b', '"a";q=1', 'a; q=1', '"a", "b"'];
      for (const key of ['', long, `"${long}"`, 'a b', 'a\tb', '\u00e9', ...quoted]) {
        expectProblem(await post(service, '{}', key), 'invalid-request');
      }
    },
  },
  {
    id: 'key.syntax.twice',
    title: 'a key that is sent twice is 400',
    writes: true,
    run: async (service) => {
      const [one, other] = [aKey(), aKey()];
      for (const keys of [
        [one, other],
        [one, one],
        [one, ''],
        [`"${one}"`, `"${other}"`],
      ]) {
        expectProblem(await service.post('{}', { 'idempotency-key': keys }), 'invalid-request');
      }
    },
  },
]);

export const keys = checksOf('Idempotency-Key', 'interface', [
  {
    id: 'key.replay',
    title: 'same key, same payload: the first response again, byte for byte, while its slot is held by itself',
    writes: true,
    run: async (service) => {
      const [payload, key] = [{ slot: aSlot(aResource()), z: 1, a: 'é' }, aKey()];
      const first = await service.create(payload, key);
      readBooking(first);
      for (let attempt = 0; attempt < 2; attempt++) {
        const again = await service.create(payload, key);
        expectText(again, first.text);
        expectThat(again, again.status === first.status, `status ${first.status}`);
        for (const name of ['location', 'etag']) expectHeader(again, name, first.headers[name]);
      }
    },
  },
  {
    id: 'key.replay.header',
    title: 'Idempotent-Replayed: true is on the first response again, and else absent',
    writes: true,
    run: async (service) => {
      const key = aKey();
      expectHeader(await service.create({ n: 1 }, key), 'idempotent-replayed', undefined);
      expectHeader(await service.create({ n: 1 }, key), 'idempotent-replayed', 'true');
      expectHeader(await service.create({ n: 1 }), 'idempotent-replayed', undefined);
    },
  },
  {
    id: 'key.reused',
    title: 'same key, other payload: 422, and the first one is replayed as before',
    writes: true,
    run: async (service) => {
      for (const [payload, other] of [
        [{ a: [1, 2] }, { a: [2, 1] }],
        [{ a: 1 }, { a: '1' }],
        [{ a: 1 }, { a: 1, b: null }],
        [{ a: 'é' }, { a: 'e\u0301' }],
        [{ a: { b: 1 } }, { a: {}, b: 1 }],
      ] as const) {
        const key = aKey();
        const first = await service.create(payload, key);
        readBooking(first);
        expectProblem(await service.create(other, key), 'idempotency-key-reused');
        expectText(await service.create(payload, key), first.text);
      }
    },
  },
  {
    id: 'key.canonical',
    title: 'payloads are compared in canonical JSON: order, white space, spelling of numbers and escapes do not count',
    writes: true,
    run: async (service) => {
      const [key, { resource_id, start, end }] = [aKey(), aSlot(aResource())];
      const json = `{"slot":${JSON.stringify({ resource_id, start, end })},"a":{"x":1,"y":[1.0,2]},"b":"é"}`;
      const same = ` {\n"b":"\\u00e9" , "a":{"y":[1,2e0],"x":1}, "slot":${JSON.stringify({ end, start, resource_id })} }`;
      const first = await post(service, json, key);
      readBooking(first);
      expectText(await post(service, same, key), first.text);
    },
  },
  {
    id: 'key.as-sent',
    title: 'payloads are compared as they were sent: the same instant with another offset is another payload',
    writes: true,
    run: async (service) => {
      const [key, resource_id] = [aKey(), aResource()];
      const slot = { resource_id, start: '2030-01-01T09:00:00Z', end: '2030-01-01T10:00:00Z' };
      const first = await service.create({ slot }, key);
      readBooking(first);
      const sameInstant = { ...slot, start: '2030-01-01T10:00:00+01:00' };
      expectProblem(await service.create({ slot: sameInstant }, key), 'idempotency-key-reused');
    },
  },
  {
    id: 'key.no-body',
    title: 'a missing body and `{}` are the same payload',
    writes: true,
    run: async (service) => {
      const key = aKey();
      const first = await service.send({ method: 'POST', headers: { 'idempotency-key': key } });
      readBooking(first);
      expectText(await service.create({}, key), first.text);
    },
  },
  {
    id: 'key.rejected-again',
    title: 'a create that was rejected is judged again under its key',
    writes: true,
    run: async (service) => {
      const [key, resource] = [aKey(), aResource()];
      readBooking(await service.create({ slot: aSlot(resource, 9) }));
      for (let attempt = 0; attempt < 2; attempt++) {
        expectProblem(await service.create({ slot: aSlot(resource, 9) }, key), 'slot-taken');
      }
      readBooking(await service.create({ slot: aSlot(resource, 12) }, key));
    },
  },
]);
