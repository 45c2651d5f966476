import { randomUUID } from 'node:crypto';
import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectSuccess, expectThat, isSuccess } from '../expectations.js';
import { Failure } from '../failure.js';
import { COLLECTION, pathOf } from '../service.js';

/** What the specification says without how its gaps are filled: nothing about payloads, responses and errors. */
export const specification = checksOf('The specification', 'specification', [
  {
    id: 'specification.list',
    title: 'GET /v1/bookings lists bookings',
    writes: false,
    run: async (service) => expectSuccess(await service.get(COLLECTION)),
  },
  {
    id: 'specification.create',
    title: 'POST /v1/bookings creates a booking; no field is required',
    writes: true,
    run: async (service) => expectSuccess(await service.create({})),
  },
  {
    id: 'specification.get',
    title: 'GET /v1/bookings/{booking_id} gets the very booking that was created',
    writes: true,
    run: async (service) => {
      const ids = [idIn(await service.create({})), idIn(await service.create({}))];
      for (const id of ids) {
        const response = await service.get(pathOf(id));
        expectSuccess(response);
        const named = memberOf(response.text, 'booking_id') ?? id;
        expectThat(response, named === id, `booking_id: ${id}`, `booking_id: ${named}`);
      }
    },
  },
  {
    id: 'specification.create.new-id',
    title: 'a create adds a booking: two creates make two booking_ids',
    writes: true,
    run: async (service) => {
      const [first, second] = [await service.create({}), await service.create({})];
      expectThat(second, idIn(first) !== idIn(second), 'another id than the first', idIn(second));
    },
  },
  {
    id: 'specification.get.unknown',
    title: 'an id that no booking has gets none',
    writes: false,
    run: async (service) => {
      const response = await service.get(pathOf(randomUUID()));
      expectThat(response, !isSuccess(response), 'no success');
    },
  },
  {
    id: 'specification.paths',
    title: 'the operations are at no other path',
    writes: false,
    run: async (service) => {
      for (const target of ['/bookings', '/v1/booking', '/v2/bookings', '/v1/bookings/x/y']) {
        const response = await service.get(target);
        expectThat(response, !isSuccess(response), 'no success');
      }
    },
  },
  {
    id: 'specification.methods',
    title: 'the operations take no other method, and other methods take no booking away',
    writes: true,
    run: async (service) => {
      const target = pathOf(idIn(await service.create({})));
      for (const [method, at] of [
        ['PUT', COLLECTION],
        ['PATCH', COLLECTION],
        ['DELETE', COLLECTION],
        ['POST', target],
        ['PUT', target],
        ['PATCH', target],
        ['DELETE', target],
      ] as const) {
        const response = await service.send({ method, target: at });
        expectThat(response, !isSuccess(response), 'no success');
      }
      expectSuccess(await service.get(target));
    },
  },
]);

/** The specification shows no response, so the id may be in the body or at the end of `Location`. */
function idIn(response: ReceivedResponse): string {
  expectSuccess(response);
  const id =
    memberOf(response.text, 'booking_id') ?? decodeURIComponent(response.headers['location']?.split('/').at(-1) ?? '');
  if (id === '') throw new Failure('a booking_id, in the body or at the end of Location', 'none', response.request);
  return id;
}

function memberOf(text: string, name: string): string | undefined {
  try {
    const value = (JSON.parse(text) as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  } catch {
    return undefined;
  }
}
