export * from './authentication.js';
export * from './booking.js';
export * from './instant.js';
export * from './list-query.js';
export * from './operations.js';
export { MAX_FAULTS, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH } from './payload-rules.js';
export * from './problem.js';
export * from './problem-types.js';
export * from './validate.js';
