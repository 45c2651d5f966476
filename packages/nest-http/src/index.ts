/** What the service uses of this package. `nest-http/expected-error` is the one part that knows neither Nest nor HTTP. */
export { HttpAdapter, type RequestObserver, type ServerSettings } from './http-adapter.js';
export { invalidBooking, jsonBodyOf } from './json-body.js';
export { Problem } from './problem.js';
export { StrictQuery } from './query.js';
export { conditionalReply, JSON_TYPE, PAGE_METHODS, pagePolicy, PROBLEM_TYPE, Reply, send } from './reply.js';
export { idempotencyKeyOf, pathOf, queryOf, requestIdOf } from './request-head.js';
export {
  atUndecodablePaths,
  isUnderV1,
  methodsAt,
  operationAt,
  operationOf,
  otherMethod,
  routePath,
  UnknownPathsController,
} from './routes.js';
