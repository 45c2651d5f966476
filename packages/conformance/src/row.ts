import { check, type Statement } from './check.js';
import type { OutgoingRequest } from './exchange.js';
import { expectHeader, expectList, expectMediaType, expectSame, expectStatus } from './expectations.js';
import { expectFault, expectProblem, type ProblemName } from './problems.js';
import { readBooking } from './reading.js';
import { COLLECTION } from './service.js';

/** A request: as `GET /v1/bookings`, or what it has other than a GET of the collection. */
type Sent = string | Partial<OutgoingRequest>;

/** The requests of a row, where it needs one from the id of a booking that is there. */
type Requests = readonly Sent[] | ((bookingId: string) => readonly Sent[]);

/** What each response has to have; anything else is free. */
interface Expected {
  readonly status?: number | 'success' | 'no success';
  readonly problem?: ProblemName;
  /** By name in lower case. A list may have another order. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly mediaType?: string;
}

/** A statement that each of these requests gets what is expected: a status, a problem, or more. */
export function row(
  id: string,
  title: string,
  expected: NonNullable<Expected['status']> | ProblemName | Expected,
  requests: Requests,
): Statement {
  const { status, problem, headers = {}, mediaType } = expectedOf(expected);
  return check(id, title, async (service) => {
    const all = typeof requests === 'function' ? requests(await service.anId()) : requests;
    for (const request of all) {
      const response = await service.send(typeof request === 'string' ? parsed(request) : request);
      if (status !== undefined) expectStatus(response, status);
      if (problem !== undefined) expectProblem(response, problem);
      for (const [name, value] of Object.entries(headers)) {
        if (typeof value === 'object') expectList(response, name, value);
        else expectHeader(response, name, value);
      }
      if (mediaType !== undefined) expectMediaType(response, mediaType);
    }
  });
}

/** A statement that the members of each of these payloads come back with the values that were sent. */
export function returns(id: string, title: string, payloads: () => readonly object[]): Statement {
  return check(id, title, async (service) => {
    for (const payload of payloads()) {
      const response = await service.create(payload);
      const returned = readBooking(response);
      for (const [name, value] of Object.entries(payload)) expectSame(response, name, returned[name], value);
    }
  });
}

/** A statement that each of these payloads is rejected with an error at its pointer. */
export function rejectsPayloads(
  id: string,
  title: string,
  payloads: readonly (readonly [json: string, pointer: string])[],
): Statement {
  return check(id, title, async (service) => {
    for (const [json, pointer] of payloads) expectFault(await service.post(json), 'invalid-booking', pointer);
  });
}

/** A statement that each of these queries of the list is rejected with an error at its pointer. */
export function rejectsQueries(
  id: string,
  title: string,
  queries: readonly (readonly [query: string, pointer: string])[],
): Statement {
  return check(id, title, async (service) => {
    for (const [query, pointer] of queries) {
      expectFault(await service.get(`${COLLECTION}?${query}`), 'invalid-request', pointer);
    }
  });
}

function expectedOf(expected: Parameters<typeof row>[2]): Expected {
  if (typeof expected === 'object') return expected;
  const isStatus = typeof expected === 'number' || expected === 'success' || expected === 'no success';
  return isStatus ? { status: expected } : { problem: expected };
}

function parsed(request: string): Partial<OutgoingRequest> {
  const [method, target] = request.split(' ') as [string, string];
  return { method, target };
}
