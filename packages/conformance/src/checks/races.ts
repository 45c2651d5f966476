import { check, checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectSame, expectText, expectThat, isSuccess } from '../expectations.js';
import { aKey, aResource, aSlot } from '../fixtures.js';
import { WIDE_WINDOW, expectListed } from '../listing.js';
import { expectProblem } from '../problems.js';
import { readBooking, readPage } from '../reading.js';
import { post } from '../service.js';

const CLIENTS = 20;
/** The number of races: some faults show only in every second race. */
const ROUNDS = 2;

function race(request: (client: number) => Promise<ReceivedResponse>): Promise<ReceivedResponse[]> {
  return Promise.all(Array.from({ length: CLIENTS }, (_, client) => request(client)));
}

function expectOneWinner(
  responses: readonly ReceivedResponse[],
  others: 'slot-taken' | 'idempotency-key-reused',
): ReceivedResponse {
  const winners = responses.filter(isSuccess);
  const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
  expectThat(responses[0]!, winners.length === 1, `one success of ${responses.length} at once`, statuses.join(' '));
  for (const response of responses) if (response !== winners[0]) expectProblem(response, others);
  return winners[0]!;
}

export const slotRaces = checksOf('The slot', 'concurrency', [
  check('race.slot', `of ${CLIENTS} creates of one slot at once, exactly one succeeds`, async (service) => {
    for (let round = 0; round < ROUNDS; round++) {
      const slot = aSlot(aResource());
      const winner = expectOneWinner(await race((client) => service.create({ slot, client })), 'slot-taken');
      await expectListed(service, { resource_id: slot.resource_id }, [readBooking(winner)]);
    }
  }),
  check('race.slot.overlaps', `of ${CLIENTS} creates at once, no two hold overlapping slots`, async (service) => {
    for (let round = 0; round < ROUNDS; round++) {
      const resource_id = aResource();
      const responses = await race((client) => service.create({ slot: aSlot(resource_id, client, client + 3) }));
      for (const response of responses) if (!isSuccess(response)) expectProblem(response, 'slot-taken');
      const listed = await service.list({ resource_id, ...WIDE_WINDOW, limit: 100 });
      const slots = readPage(listed).bookings.map(({ slot }) => slot!);
      const overlapping = slots.filter(({ start }, index) => index > 0 && slots[index - 1]!.end > start);
      expectSame(listed, 'slots that overlap the one before', overlapping, []);
      expectSame(listed, 'bookings', slots.length, responses.filter(isSuccess).length);
    }
  }),
  check('race.slot.apart', `${CLIENTS} creates at once of slots that only touch all succeed`, async (service) => {
    const resource = aResource();
    const responses = await race((client) => service.create({ slot: aSlot(resource, client) }));
    for (const response of responses) readBooking(response);
  }),
]);

export const keyRaces = checksOf('Idempotency-Key', 'concurrency', [
  check('race.key', 'concurrent creates with one key make one booking; all of them get it', async (service) => {
    for (const payload of [{ slot: aSlot(aResource()) }, { n: 1 }]) {
      const key = aKey();
      const responses = await race(() => service.create(payload, key));
      for (const response of responses) {
        readBooking(response);
        expectText(response, responses[0]!.text);
      }
      const first = responses.filter(({ headers }) => headers['idempotent-replayed'] !== 'true');
      expectThat(responses[0]!, first.length === 1, 'one response that is not replayed', String(first.length));
    }
  }),
  check('race.key.reused', 'of concurrent creates with one key, one payload succeeds', async (service) => {
    const key = aKey();
    const responses = await race((client) => service.create({ client }, key));
    const winner = expectOneWinner(responses, 'idempotency-key-reused');
    const again = await service.create({ client: readBooking(winner)['client'] }, key);
    expectText(again, winner.text);
  }),
  check('race.retries', 'retries of a race for one slot get the same responses', async (service) => {
    const slot = aSlot(aResource());
    const keys = Array.from({ length: CLIENTS }, aKey);
    const attempt = (client: number): Promise<ReceivedResponse> => service.create({ slot, client }, keys[client]);
    const winner = expectOneWinner(await race(attempt), 'slot-taken');
    expectText(expectOneWinner(await race(attempt), 'slot-taken'), winner.text);
  }),
  check('retry.lost-response', 'after no response, the same payload with the same key is safe', async (service) => {
    for (const when of ['received', 'sent', 'sent'] as const) {
      const slot = aSlot(aResource());
      const key = aKey();
      await service.connection.abandon(post(JSON.stringify({ slot }), { 'idempotency-key': key }), when);
      const booking = await service.book({ slot }, key);
      await expectListed(service, { resource_id: slot.resource_id }, [booking]);
    }
  }),
]);
