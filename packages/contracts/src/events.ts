/** What the service sends by itself; an entry of its own, for those who need no more. */
export * from './event-schemas.js';
export * from './webhooks.js';
