import { checksOf } from '../check.js';
import { aKey, aResource, aSlot } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { readBooking } from '../reading.js';

const BAD_KEY = { 'idempotency-key': 'a b' };
const BAD_TYPE = { 'content-type': 'text/plain' };
const TOO_LARGE = `{"a":"${'x'.repeat(65_536)}"}`;

/** Creates with two faults: the one that is judged first is the one that the response names. */
export const judging = checksOf('Creating', 'interface', [
  {
    id: 'create.judged.key-syntax',
    title: 'the syntax of the key is judged before the body',
    writes: true,
    run: async (service) => {
      for (const body of [TOO_LARGE, '{', '[]']) expectProblem(await service.post(body, BAD_KEY), 'invalid-request');
      expectProblem(await service.post('{}', { ...BAD_KEY, ...BAD_TYPE }), 'invalid-request');
    },
  },
  {
    id: 'create.judged.size',
    title: 'the size is judged before the type and the encoding',
    writes: true,
    run: async (service) => {
      expectProblem(await service.post(TOO_LARGE, BAD_TYPE), 'payload-too-large');
      expectProblem(await service.post(TOO_LARGE, { 'content-encoding': 'gzip' }), 'payload-too-large');
    },
  },
  {
    id: 'create.judged.type',
    title: 'the type and the encoding are judged before the JSON',
    writes: true,
    run: async (service) => {
      expectProblem(await service.post('{', BAD_TYPE), 'unsupported-media-type');
      expectProblem(await service.post('{', { 'content-encoding': 'gzip' }), 'unsupported-media-type');
    },
  },
  {
    id: 'create.judged.payload',
    title: 'the payload is judged before the use of the key',
    writes: true,
    run: async (service) => {
      const key = aKey();
      readBooking(await service.create({ n: 1 }, key));
      expectProblem(await service.create({ booking_id: 'mine' }, key), 'invalid-booking');
      expectProblem(await service.create({ slot: null }, key), 'invalid-booking');
    },
  },
  {
    id: 'create.judged.key',
    title: 'the use of the key is judged before the slot',
    writes: true,
    run: async (service) => {
      const [key, slot] = [aKey(), aSlot(aResource())];
      readBooking(await service.create({ slot }));
      readBooking(await service.create({ n: 1 }, key));
      expectProblem(await service.create({ slot }, key), 'idempotency-key-reused');
    },
  },
]);
