export { type Level, levels } from './check.js';
export type { ConformanceOptions } from './options.js';
export type { CheckFailure, CheckResult } from './result.js';
export { type ConformanceReport, runConformance, UnreachableError } from './run-conformance.js';
