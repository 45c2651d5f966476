/** A separate entry point for the events that the service sends. */
export * from './event-schemas.js';
export type { BookingCreatedEventDto, BookingDeletedEventDto, BookingEventDto, PingEventDto } from './types.js';
export * from './event-requests.js';
