import type { Check } from '../check.js';
import { expectFault, expectProblem, type ProblemName } from '../problems.js';
import type { Headers } from '../service.js';

type Statement = Pick<Check, 'id' | 'title'>;
type Body = Omit<Check, 'section' | 'level'>;

/** A check that every one of these bodies is rejected. */
export function rejectsBodies(
  { id, title }: Statement,
  name: ProblemName,
  bodies: readonly (string | Uint8Array)[],
  headers: Headers = {},
): Body {
  return {
    id,
    title,
    writes: true,
    run: async (service) => {
      for (const body of bodies) expectProblem(await service.post(body, headers), name);
    },
  };
}

/** A check that every one of these payloads is rejected with an error at its pointer. */
export function rejectsPayloads({ id, title }: Statement, payloads: readonly (readonly [string, string])[]): Body {
  return {
    id,
    title,
    writes: true,
    run: async (service) => {
      for (const [json, pointer] of payloads) {
        expectFault(await service.post(json), 'invalid-booking', pointer);
      }
    },
  };
}

/** A check that every one of these queries of the list is rejected with an error at its pointer. */
export function rejectsQueries({ id, title }: Statement, queries: readonly (readonly [string, string])[]): Body {
  return {
    id,
    title,
    writes: false,
    run: async (service) => {
      for (const [query, pointer] of queries) {
        expectFault(await service.get(`/v1/bookings?${query}`), 'invalid-request', pointer);
      }
    },
  };
}
