import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectStatus, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { objectIn } from '../reading.js';
import { row } from '../row.js';
import { COLLECTION, pathOf, post } from '../service.js';

/** What the specification says without how its gaps are filled: nothing about payloads, responses and errors. */
export const specification = checksOf('The specification', 'specification', [
  row('specification.list', 'GET /v1/bookings lists bookings', 'success', ['GET /v1/bookings']),
  row('specification.create', 'POST /v1/bookings creates a booking; no field is required', 'success', [post('{}')]),
  check('specification.get', 'GET /v1/bookings/{booking_id} gets the booking that was created', async (service) => {
    const ids = [idIn(await service.create({})), idIn(await service.create({}))];
    for (const id of ids) {
      const response = await service.getOne(id);
      expectStatus(response, 'success');
      const named = memberOf(response.text, 'booking_id') ?? id;
      expectThat(response, named === id, `booking_id: ${id}`, `booking_id: ${named}`);
    }
  }),
  check('specification.create.new-id', 'a create adds a booking: two make two booking_ids', async (service) => {
    const [first, second] = [await service.create({}), await service.create({})];
    expectThat(second, idIn(first) !== idIn(second), 'another id than the first', idIn(second));
  }),
  row('specification.get.unknown', 'an id that no booking has gets none', 'no success', [
    `GET ${pathOf(randomUUID())}`,
  ]),
  row('specification.paths', 'the operations are at no other path', 'no success', [
    'GET /bookings',
    'GET /v1/booking',
    'GET /v2/bookings',
    'GET /v1/bookings/x/y',
  ]),
  check('specification.methods', 'no other method is an operation, or takes a booking away', async (service) => {
    const booking = pathOf(idIn(await service.create({})));
    const methods = ['PUT', 'PATCH', 'DELETE'];
    for (const [target, others] of [
      [COLLECTION, methods],
      [booking, ['POST', ...methods]],
    ] as const) {
      for (const method of others) expectStatus(await service.send({ method, target }), 'no success');
    }
    expectStatus(await service.get(booking), 'success');
  }),
]);

/** The specification shows no response, so the id may be in the body or at the end of `Location`. */
function idIn(response: ReceivedResponse): string {
  expectStatus(response, 'success');
  const id =
    memberOf(response.text, 'booking_id') ?? decodeURIComponent(response.headers['location']?.split('/').at(-1) ?? '');
  if (id === '') throw new Failure('a booking_id, in the body or at the end of Location', 'none', response.request);
  return id;
}

function memberOf(text: string, name: string): string | undefined {
  const value = objectIn(text)?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
