export { readContract } from './contract.js';
export { EventsProcess } from './events-process.js';
export * from './provider-states.js';
export * from './verification.js';
