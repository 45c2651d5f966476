import { expectContract } from 'testing/contract';
import type { History, Violations } from './history.js';

const STATUSES = {
  create: [201, 409, 422, 503],
  get: [200, 503],
  list: [200, 503],
  walk: [200, 503],
};

/** C7: every response is valid against the OpenAPI document, and has one of the few statuses that its call may get. */
export function checkResponses(history: History): Violations {
  return history.calls.flatMap(({ kind, response }) => {
    if (response === undefined) return [];
    const { status, text } = response;
    if (!STATUSES[kind].includes(status)) return [`C7: ${kind} has the response ${status} ${text.slice(0, 300)}.`];
    try {
      expectContract(response);
      return [];
    } catch (error) {
      return [`C7: ${(error as Error).message}`];
    }
  });
}
