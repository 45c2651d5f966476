import type { RequestObserver } from '../http/http-adapter.js';
import type { RequestLog } from './request-log.js';
import type { Metrics } from './metrics.js';
import { operationOf } from '../http/operation-of.js';

/** Everything that looks at a request once it is over; there is one such look for each. */
export function answerObserver(metrics: Metrics, log: RequestLog): RequestObserver {
  return (request, response, seconds, status) => {
    const operation = operationOf(request);
    metrics.requests.observe(operation, status, seconds);
    log.answered({ request, response, operation, status, seconds });
  };
}
