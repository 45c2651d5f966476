import { bookingsNeeds } from './bookings/postgres/database-needs.js';
import { eventsNeeds } from './features/events/database-needs.js';
import { SchemaCheck } from './platform/database/schema-check.js';

/** Checks that a database has what the service needs. */
export const schema = new SchemaCheck([bookingsNeeds, eventsNeeds]);
