/** Statements that many checks have in common: what a request gets, what comes back, what is rejected. */

import { check, type Statement } from './check.js';
import type { OutgoingRequest } from './exchange.js';
import { expectHeader, expectList, expectMediaType, expectSame, expectStatus } from './expectations.js';
import type { ProblemName } from './problem-types.js';
import { expectErrorAt, expectProblem } from './problems.js';
import { readBooking } from './reading.js';
import { COLLECTION } from './service.js';

/** A request as text, such as `GET /v1/bookings`, or only its differences from a GET of the collection. */
type Sent = string | Partial<OutgoingRequest>;

interface Expected {
  readonly status?: number | 'success' | 'no success';
  readonly problem?: ProblemName;
  /** Headers by name in lower case. The values of an array match in any order. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly mediaType?: string;
}

/** Payloads or queries, by the pointer of the error that they get. */
type Rejected = Readonly<Record<string, readonly string[]>>;

/** States that each request gets the expected response. Requests may depend on the id of an existing booking. */
export function responds(
  id: string,
  title: string,
  expected: NonNullable<Expected['status']> | ProblemName | Expected,
  requests: readonly Sent[] | ((bookingId: string) => readonly Sent[]),
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

export function requests(methods: readonly string[], ...targets: readonly string[]): string[] {
  return targets.flatMap((target) => methods.map((method) => `${method} ${target}`));
}

/** States that the members of each payload come back with their values. */
export function returns(id: string, title: string, payloads: () => readonly object[]): Statement {
  return check(id, title, async (service) => {
    for (const payload of payloads()) {
      const response = await service.create(payload);
      const returned = readBooking(response);
      for (const [name, value] of Object.entries(payload)) expectSame(response, name, returned[name], value);
    }
  });
}

/** States that each payload, given as JSON, is rejected with an error at its pointer or below. */
export function rejectsPayloads(id: string, title: string, payloads: Rejected): Statement {
  return check(id, title, async (service) => {
    for (const [pointer, jsons] of Object.entries(payloads)) {
      for (const json of jsons) expectErrorAt(await service.post(json), 'invalid-booking', pointer);
    }
  });
}

/** States that each query of the list is rejected with an error at its pointer or below. */
export function rejectsQueries(id: string, title: string, queries: Rejected): Statement {
  return check(id, title, async (service) => {
    for (const [pointer, texts] of Object.entries(queries)) {
      for (const query of texts) expectErrorAt(await service.get(`${COLLECTION}?${query}`), 'invalid-request', pointer);
    }
  });
}

function expectedOf(expected: Parameters<typeof responds>[2]): Expected {
  if (typeof expected === 'object') return expected;
  const isStatus = typeof expected === 'number' || expected === 'success' || expected === 'no success';
  return isStatus ? { status: expected } : { problem: expected };
}

function parsed(request: string): Partial<OutgoingRequest> {
  const [method, target] = request.split(' ') as [string, string];
  return { method, target };
}
