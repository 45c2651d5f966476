import { type ProblemName, problemType } from '@booking-service/contracts/problem-types';
import { MatchersV3, PactV4 } from '@pact-foundation/pact';
import { BookingsClient } from '../src/index.js';

const { regex, string } = MatchersV3;

type Interaction = ReturnType<PactV4['addInteraction']>;
type StateParameters = NonNullable<Parameters<Interaction['given']>[1]>;
type Request = Parameters<Interaction['withRequest']>;
export type BuildRequest = NonNullable<Request[2]>;
type Response = Parameters<ReturnType<Interaction['withRequest']>['willRespondWith']>;
export type BuildResponse = NonNullable<Response[1]>;

const pact = new PactV4({ consumer: 'bookings-client', provider: 'bookings-service', dir: 'pacts', logLevel: 'warn' });

export const NO_BOOKINGS = 'no bookings exist';

/** The provider makes these bookings in order, and returns `booking_id` and `etag` of the last one. */
export const BOOKINGS = 'these bookings exist';

export const DELETED_BOOKINGS = 'these bookings were deleted';

export function bookings(...made: { payload: StateParameters; idempotency_key?: string }[]): StateParameters {
  return { bookings: made };
}

interface Example {
  given: [state: string, parameters?: StateParameters];
  request: Request;
  response: Response;
  test: (client: BookingsClient, url: string) => Promise<void>;
}

export function interaction(description: string, { given, request, response, test }: Example): void {
  it(description, () =>
    pact
      .addInteraction()
      .given(...given)
      .uponReceiving(description)
      .withRequest(...request)
      .willRespondWith(...response)
      // A retry would hide a mismatch.
      .executeTest(({ url }) => test(new BookingsClient({ baseUrl: url, maxRetries: 0 }), url)),
  );
}

export const PATH = '/v1/bookings';
export const nine = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
export const details = { guest: { name: 'Ada' }, note: 'window seat' };

export const anId = '019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55';
export const anEtag = '"1f6f2f0d7a55"';

export const jsonType = regex('^application/json(;.*)?$', 'application/json; charset=utf-8');
const problemMediaType = regex('^application/problem\\+json(;.*)?$', 'application/problem+json; charset=utf-8');
export const etag = regex('^(W/)?"[^"]+"$', anEtag);

export function booking(members: object) {
  const createdAt = regex('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', '2026-11-20T18:12:03.417Z');
  return { booking_id: string(anId), created_at: createdAt, ...members };
}

export function jsonResponse(body: unknown): BuildResponse {
  return (response) => response.headers({ 'Content-Type': jsonType }).jsonBody(body);
}

export function problemResponse(name: ProblemName, members: object = {}): BuildResponse {
  return (response) =>
    response.headers({ 'Content-Type': problemMediaType, 'X-Request-Id': string('a-request') }).jsonBody({
      type: problemType(name),
      title: string('A title'),
      detail: string('What is wrong'),
      ...members,
    });
}
