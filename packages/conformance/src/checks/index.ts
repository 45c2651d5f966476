import type { Check } from '../check.js';
import { authentication } from './authentication.js';
import { json, mediaTypes, sizes } from './bodies.js';
import { booking } from './booking.js';
import { busyWalks } from './busy-walks.js';
import { connections, framing } from './connections.js';
import { creating, leftovers } from './creating.js';
import { cursors } from './cursors.js';
import { errors } from './errors.js';
import { events } from './events.js';
import { filtering, queries } from './filtering.js';
import { getting } from './getting.js';
import { headers } from './headers.js';
import { instants } from './instants.js';
import { judging } from './judging.js';
import { keys, keySyntax } from './keys.js';
import { limits } from './limits.js';
import { operations } from './operations.js';
import { overlaps } from './overlaps.js';
import { pages } from './pages.js';
import { paging } from './paging.js';
import { payload } from './payload.js';
import { keyRaces, slotRaces } from './races.js';
import { routes } from './routes.js';
import { slot } from './slot.js';
import { sizedPages } from './sized-pages.js';
import { sorting } from './sorting.js';
import { specification } from './specification.js';
import { windowWalks } from './window-walks.js';
import { bodiesOnTheWire, queriesOnTheWire } from './wire.js';

/** Every check, in the order of docs/interface.md. */
export const checks: readonly Check[] = [
  specification,
  operations,
  routes,
  pages,
  connections,
  booking,
  slot,
  instants,
  overlaps,
  slotRaces,
  authentication,
  creating,
  sizes,
  mediaTypes,
  json,
  bodiesOnTheWire,
  payload,
  judging,
  leftovers,
  keySyntax,
  keys,
  keyRaces,
  getting,
  paging,
  sizedPages,
  sorting,
  filtering,
  queries,
  queriesOnTheWire,
  cursors,
  windowWalks,
  busyWalks,
  events,
  errors,
  framing,
  headers,
  limits,
].flat();
