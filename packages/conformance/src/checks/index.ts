import type { Check } from '../check.js';
import { bodies } from './bodies.js';
import { booking } from './booking.js';
import { connections, framing, limits } from './connections.js';
import { creating } from './creating.js';
import { cursors } from './cursors.js';
import { errors } from './errors.js';
import { events } from './events.js';
import { filtering } from './filtering.js';
import { getting } from './getting.js';
import { authentication, headers } from './headers.js';
import { instants } from './instants.js';
import { keys } from './keys.js';
import { operations } from './operations.js';
import { overlaps } from './overlaps.js';
import { paging } from './paging.js';
import { payload } from './payload.js';
import { keyRaces, slotRaces } from './races.js';
import { slot } from './slot.js';
import { sorting } from './sorting.js';
import { specification } from './specification.js';
import { busyWalks, walks } from './walks.js';

/** Every check, in the order of docs/interface.md. */
export const checks: readonly Check[] = [
  specification,
  operations,
  connections,
  booking,
  slot,
  instants,
  overlaps,
  slotRaces,
  authentication,
  creating,
  bodies,
  payload,
  keys,
  keyRaces,
  getting,
  paging,
  sorting,
  filtering,
  cursors,
  walks,
  busyWalks,
  events,
  errors,
  framing,
  headers,
  limits,
].flat();
