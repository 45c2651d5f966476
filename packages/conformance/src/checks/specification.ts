import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectStatus, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { objectIn } from '../reading.js';
import { COLLECTION, pathOf, post } from '../service.js';
import { requests, responds } from '../statements.js';

/** The rules of the specification alone, which leaves payloads, responses and errors open. */
export const specification = checksOf('The specification', 'specification', [
  responds('specification.list', 'GET /v1/bookings lists bookings', 'success', ['GET /v1/bookings']),
  responds('specification.create', 'POST /v1/bookings creates a booking; no field is required', 'success', [
    post('{}'),
  ]),
  check('specification.get', 'GET /v1/bookings/{booking_id} gets the created booking', async (service) => {
    const ids = [idIn(await service.create({})), idIn(await service.create({}))];
    for (const id of ids) {
      const response = await service.getOne(id);
      expectStatus(response, 'success');
      const named = memberOf(response.text, 'booking_id') ?? id;
      expectThat(response, named === id, `booking_id: ${id}`, `booking_id: ${named}`);
    }
  }),
  check('specification.create.new-id', 'each create makes a booking with its own id', async (service) => {
    const first = await service.create({});
    const second = await service.create({});
    expectThat(second, idIn(first) !== idIn(second), 'another id than the first', idIn(second));
  }),
  responds('specification.get.unknown', 'an unknown id gets no booking', 'no success', [`GET ${pathOf(randomUUID())}`]),
  responds('specification.paths', 'the operations have no other path', 'no success', [
    ...requests(['GET'], '/bookings', '/v1/booking', '/v2/bookings', '/v1/bookings/x/y'),
  ]),
  check('specification.methods', 'no other method is an operation, or removes a booking', async (service) => {
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

/** The id from the body or from `Location`: the specification does not say where it is. */
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
