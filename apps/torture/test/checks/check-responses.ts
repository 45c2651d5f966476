import type { History, Violations } from './history.js';

const STATUSES = {
  create: [201, 409, 422, 503],
  get: [200, 503],
  list: [200, 503],
  walk: [200, 503],
};

/** C7: every response has a status of the contract, and every error is a problem that says the same. */
export function checkResponses(history: History): Violations {
  return history.calls.flatMap(({ kind, response }) => {
    if (response === undefined) return [];
    const { status, headers, text } = response;
    const name = `C7: ${kind} has the response ${status} ${text.slice(0, 300)}`;
    if (!STATUSES[kind].includes(status)) return [`${name}.`];
    if (headers['x-request-id'] === undefined) return [`${name} without X-Request-Id.`];
    if (status < 400) return headers['content-type'] === 'application/json' ? [] : [`${name} as another type.`];
    if (headers['content-type'] !== 'application/problem+json') return [`${name}, which is not problem+json.`];
    if ((JSON.parse(text) as { status: number }).status !== status) return [`${name}, which says another status.`];
    return status === 503 && !/^\d+$/.test(headers['retry-after'] ?? '') ? [`${name} without Retry-After.`] : [];
  });
}
