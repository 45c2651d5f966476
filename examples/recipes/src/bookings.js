/** The service, for every recipe: BOOKINGS_URL, and BOOKINGS_TOKEN if it requires one. */
import { createHash } from 'node:crypto';
import { BookingsClient } from '@booking-service/client';

const { BOOKINGS_URL = 'http://localhost:3000', BOOKINGS_TOKEN } = process.env;

export const bookings = new BookingsClient({ baseUrl: BOOKINGS_URL, token: BOOKINGS_TOKEN });

/** An idempotency key, in visible ASCII, made from texts in any language. @param {unknown[]} parts */
export const keyOf = (...parts) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
