import { expectContract } from 'testing/contract';
import type { History, Violations } from './history.js';

const STATUSES: Record<string, number[]> = { POST: [201, 409, 422, 503], GET: [200, 503] };

/** C7: every response has a status of its operation, and is valid against the OpenAPI document. */
export function checkResponses(history: History): Violations {
  return history.calls.flatMap(({ response }) => {
    if (response === undefined) return [];
    const { method, status, text } = response;
    if (!STATUSES[method]!.includes(status)) return [`C7: ${method} has the response ${status} ${text.slice(0, 300)}.`];
    try {
      expectContract(response);
      return [];
    } catch (error) {
      return [`C7: ${(error as Error).message}`];
    }
  });
}
