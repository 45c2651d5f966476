export * from './provider-states.js';
export * from './verification.js';
