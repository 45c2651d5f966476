import { bookingsNeeds } from './bookings/postgres/database-needs.js';
import { eventsNeeds } from './features/events/database-needs.js';

/** What the service needs from the schema of its database. */
export const schemaNeeds = [bookingsNeeds, eventsNeeds];
