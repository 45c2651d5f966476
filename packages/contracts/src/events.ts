/** The events that the service sends, as a separate entry point. */
export * from './event-schemas.js';
export type { BookingCreatedEventDto, BookingDeletedEventDto, BookingEventDto, PingEventDto } from './types.js';
export * from './event-requests.js';
