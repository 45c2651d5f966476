export { type Level, levels } from './check.js';
export type { EventsOptions } from './events-receiver.js';
export type { OutgoingRequest, ReceivedResponse } from './exchange.js';
export type { ConformanceOptions } from './options.js';
export { NotCheckableError, UnreachableError } from './probe.js';
export type { CheckFailure, CheckResult } from './result.js';
export { type ConformanceReport, runConformance } from './run-conformance.js';
