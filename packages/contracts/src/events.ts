/** What the service sends on its own initiative; a separate entry point for programs that need nothing else. */
export * from './event-schemas.js';
export type { BookingCreatedEventDto, BookingDeletedEventDto, BookingEventDto, PingEventDto } from './types.js';
export * from './webhooks.js';
