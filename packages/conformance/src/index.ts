export { type Level, levels } from './check.js';
export { NotCheckableError, UnreachableError } from './deployment.js';
export type { ConformanceOptions, EventsOptions } from './options.js';
export type { CheckFailure, CheckResult } from './result.js';
export { type ConformanceReport, runConformance } from './run-conformance.js';
