import { checksOf } from '../check.js';
import { expectStatuses, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { aResource, aSlot } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { COLLECTION, JSON_HEADERS } from '../service.js';

/** In so many pieces of one byte, characters are cut too. A slot may have it, whatever a deployment's schema takes. */
const TEXT = '予約'.repeat(20);

export const bodiesOnTheWire = checksOf('Creating', 'interface', [
  {
    id: 'create.json.pieces',
    title: 'a body may come in pieces of one byte',
    writes: true,
    run: async ({ connection }) => {
      const headers = { ...JSON_HEADERS, connection: 'close' };
      const payload = JSON.stringify({ slot: aSlot(`${aResource()} ${TEXT}`) });
      const request = { method: 'POST', target: COLLECTION, headers, body: payload };
      const [head, body] = connection.bytesOf(request).split('\r\n\r\n') as [string, string];
      const pieces = Array.from(Buffer.from(body), (byte) => Buffer.from([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a]));
      const chunked = head.replace(/content-length: \d+/, 'transfer-encoding: chunked');
      const received = await connection.sendBytes(
        Buffer.concat([Buffer.from(`${chunked}\r\n\r\n`), ...pieces, Buffer.from('0\r\n\r\n')]),
      );
      expectStatuses(received, 201);
      if (!received.includes(TEXT)) throw new Failure(`a booking with ${TEXT}`, received);
    },
  },
  {
    id: 'create.json.quoted',
    title: 'a problem that quotes the body has no half of a character',
    writes: true,
    run: async (service) => {
      // Wherever the quotation ends, one of them is cut there.
      for (const before of ['', ' ']) {
        const response = await service.post(`{"a":${before}${'🙂'.repeat(40)}`);
        const { detail } = expectProblem(response, 'invalid-request');
        expectThat(response, !/\p{Surrogate}/u.test(String(detail)), 'a detail of whole characters');
      }
    },
  },
  {
    id: 'create.type.same-site',
    title: 'a page of the same site is one of another origin',
    writes: true,
    run: async (service) => {
      const response = await service.send({ method: 'POST', headers: { 'sec-fetch-site': 'same-site' } });
      expectProblem(response, 'unsupported-media-type');
    },
  },
]);

export const queriesOnTheWire = checksOf('The list', 'interface', [
  {
    id: 'list.plus.advice',
    title: 'the problem of a `+` that should have been `%2B` says so',
    writes: false,
    run: async (service) => {
      const response = await service.get(`${COLLECTION}?from=2030-01-01T09:00:00+02:00`);
      const { detail } = expectProblem(response, 'invalid-request');
      expectThat(response, String(detail).includes('%2B'), 'a detail with `%2B`');
    },
  },
]);
