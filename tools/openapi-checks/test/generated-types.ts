/**
 * What the generated types promise. There is nothing to run: `tsc --noEmit` goes red where one of these
 * lines compiles.
 */
import type { Client } from 'openapi-fetch';
import type { paths } from '../dist/openapi.js';

declare const client: Client<paths>;

// @ts-expect-error: there is no such path
export const noPath = client.GET('/v1/reservations');
// @ts-expect-error: a slot has three members
export const halfSlot = client.POST('/v1/bookings', { body: { slot: { resource_id: 'room-7' } } });
// @ts-expect-error: not one of the four orders
export const badOrder = client.GET('/v1/bookings', { params: { query: { sort: 'end' } } });
