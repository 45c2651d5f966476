import { Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import { isLockTimeout } from '../database/postgres-errors.js';
import { type Config, readConfig } from '../config/config.js';
import type { EndpointState } from '../events/event-rows.js';
import { EventOperations } from '../events/event-operations.js';
import { describeHolder } from '../events/event-switch.js';
import { EventStore } from '../events/event-store.js';
import { headersOf, ping } from '../events/event.js';
import { Poster } from '../events/post.js';
import { skipEvent } from '../events/skip-event.js';
import { type Endpoint, parseWebhooks } from '../events/webhooks-file.js';
import { inTime, readText } from '../files/text-file.js';
import { print, printError } from '../observability/print.js';
import { describeFailure } from './failure.js';
import { readArguments, Usage, USAGE, type WebhooksArguments } from './webhooks-arguments.js';

/** Connections; the fewest that a database takes. */
const POOL_SIZE = 2;

/** Milliseconds for the response to an attempt that is under way, and for saving it, beside its time limit. */
const SKIP_RESERVE = 10_000;

// Standard output is the command's.
Logger.overrideLogger(false);
try {
  print(await run(readArguments(process.argv.slice(2)), readConfig(process.env)));
} catch (error) {
  printError(error instanceof Usage ? USAGE : `Failed: ${describeFailure(error)}\n`);
  process.exitCode = 1;
}

function run({ command, name, sequence, isForced, from, since }: WebhooksArguments, config: Config): Promise<string> {
  if (command === 'ping') return sendPing(config, name);
  return withStore(config, async (store, operations) => {
    switch (command) {
      case 'list':
        return list(store);
      case 'retry':
        return retry(store, config, name, sequence);
      case 'skip':
        return skip(store, config, name);
      case 'replay':
        return replay(store, operations, await endpointOf(config, name), { from, since });
      case 'drop':
        return drop(operations, name, sequence!);
      case 'forget':
        return forget(store, operations, name);
      case 'renumber':
        return renumber(operations, from);
      case 'on':
        return switchOn(store).catch((error: unknown) => explainLock(store, error));
      default:
        return switchOff(store, isForced).catch((error: unknown) => explainLock(store, error));
    }
  });
}

async function withStore(
  config: Config,
  work: (store: EventStore, operations: EventOperations) => Promise<string>,
): Promise<string> {
  if (config.database === undefined) throw new Error('DATABASE_URL is not set.');
  const database = new Database({ ...config.database, poolSize: POOL_SIZE, migrateAtStart: false });
  try {
    await database.prepare();
    return await work(new EventStore(database), new EventOperations(database));
  } finally {
    await database.close();
  }
}

async function list(store: EventStore): Promise<string> {
  const lines: string[] = [];
  for (const state of await store.states()) {
    const { name, behind, oldest, parked, deferred, isUsed, lastAttempt } = state;
    const since = oldest === undefined ? '' : ` since ${new Date(oldest).toISOString()}`;
    const last = lastAttempt && `, last attempt ${new Date(lastAttempt.at).toISOString()}: ${lastAttempt.result}`;
    const unused = isUsed ? '' : ', in the file of no running service';
    lines.push(`${name}: ${stateOf(state)}, ${behind} behind${since}, ${parked} parked${last ?? ''}${unused}`);
    const shown = await store.parked(name);
    const kept = parked + deferred;
    if (shown.length < kept) lines.push(`  the first ${shown.length} of ${kept} events that are parked or sent again:`);
    for (const { sequence, bookingId, reason, parkedAt, isDue } of shown) {
      const sent = isDue ? ', to be sent again' : '';
      lines.push(`  ${sequence}  ${bookingId}  parked ${new Date(parkedAt).toISOString()}: ${reason}${sent}`);
    }
  }
  return lines.length === 0 ? 'There are no endpoints yet.\n' : `${lines.join('\n')}\n`;
}

function stateOf({ progress: { failures }, pause, endedUrl }: EndpointState): string {
  if (endedUrl !== undefined) return `ended, ${endedUrl} responded 410`;
  if (failures === 0) return 'up';
  return `stopped after ${failures} attempts, next in ${Math.ceil(pause / 1_000)} s`;
}

async function retry(store: EventStore, config: Config, name: string, sequence: number | undefined): Promise<string> {
  await endpointOf(config, name);
  const events = await store.retry(name, sequence);
  if (sequence !== undefined && events === 0) throw new Error(`event ${sequence} is not parked for ${name}.`);
  if (!(await store.wake(name))) throw new Error(`endpoint ${name} is unknown.`);
  return `${name} is retried now, with ${events} parked events.\n`;
}

async function skip(store: EventStore, config: Config, name: string): Promise<string> {
  const endpoint = await endpointOf(config, name);
  const event = await skipEvent(store, endpoint, config.events!.timeout + SKIP_RESERVE);
  return `Event ${event.sequence}, booking ${event.bookingId}, is parked for ${name}.\n`;
}

async function replay(
  store: EventStore,
  operations: EventOperations,
  endpoint: Endpoint,
  { from, since = 0 }: Pick<WebhooksArguments, 'from' | 'since'>,
): Promise<string> {
  const { name } = await knownEndpoint(store, endpoint.name);
  const first = from ?? (await operations.firstSince(since));
  if (first === undefined) throw new Error(`there is no event since ${new Date(since).toISOString()}.`);
  const last = await operations.replay(endpoint, first);
  if (last === undefined) throw new Error(`${name} has not received everything up to event ${first} yet.`);
  return `${name} receives events ${first} to ${last} again, in order, except those that are parked.\n`;
}

async function drop(operations: EventOperations, name: string, sequence: number): Promise<string> {
  if (!(await operations.drop(name, sequence)))
    throw new Error(`event ${sequence} is not parked for ${name}, or is being sent again.`);
  return `Event ${sequence} is dropped: only a replay sends it to ${name}.\n`;
}

async function forget(store: EventStore, operations: EventOperations, name: string): Promise<string> {
  await knownEndpoint(store, name);
  const parked = await operations.forget(name);
  if (parked !== undefined) return `${name} is forgotten, with ${parked} parked events.\n`;
  throw new Error(`services that run, or did two minutes ago, have ${name} in their file. Remove it there first.`);
}

async function knownEndpoint(store: EventStore, name: string): Promise<EndpointState> {
  const state = (await store.states()).find((candidate) => candidate.name === name);
  if (state === undefined) throw new Error(`endpoint ${name} is unknown.`);
  return state;
}

async function renumber(operations: EventOperations, from: number | undefined): Promise<string> {
  const last = await operations.renumber(from);
  const moved = from === undefined ? '' : ` Those from ${from} on are sent again, with new numbers.`;
  return `The numbers of new events begin after ${last}.${moved}\n`;
}

async function switchOn(store: EventStore): Promise<string> {
  return (await store.switchOn()) ? 'Bookings are noted from now on.\n' : 'Bookings are noted already.\n';
}

async function switchOff(store: EventStore, isForced: boolean): Promise<string> {
  const used = (await store.states()).filter(({ isUsed }) => isUsed).map(({ name }) => name);
  if (used.length > 0 && !isForced) {
    throw new Error(
      `services that run, or did two minutes ago, send to ${used.join(', ')}. ` +
        'Restart them without WEBHOOKS_FILE first, or use --force: nothing is sent then, and BookingEventsOff is raised.',
    );
  }
  return (await store.switchOff()) ? 'Bookings are no longer noted.\n' : 'Bookings were not noted.\n';
}

/** @throws Error always */
async function explainLock(store: EventStore, error: unknown): Promise<never> {
  if (!isLockTimeout((error as Error).cause)) throw error;
  throw new Error(`${await describeHolder(store)}. Run this again, or end that process first.`);
}

async function sendPing(config: Config, name: string): Promise<string> {
  const { url, secrets } = await endpointOf(config, name);
  const poster = new Poster(config.events!);
  const message = ping(config.events!.source);
  const start = performance.now();
  try {
    const signal = new AbortController().signal;
    const result = await poster.post(url, headersOf(message, secrets), message.body, signal);
    const time = `after ${Math.round(performance.now() - start)} ms`;
    if (result.kind !== 'response') throw new Error(`${name} did not respond: ${result.reason}, ${time}.`);
    if (result.status < 200 || result.status > 299) throw new Error(`${name} responds ${result.status}, ${time}.`);
    return `${name} responds ${result.status}, ${time}.\n`;
  } finally {
    poster.close();
  }
}

/** @throws Error that names the endpoints there are, and the entries that are none */
async function endpointOf({ events }: Config, name: string): Promise<Endpoint> {
  if (events === undefined) throw new Error('WEBHOOKS_FILE is not set.');
  const { endpoints, faults } = await inTime(readText(events.file))
    .then((text) => parseWebhooks(text, events.allowPrivate))
    .catch(({ message }: Error) => Promise.reject(new Error(`WEBHOOKS_FILE (${events.file}): ${message}.`)));
  const endpoint = endpoints.find((candidate) => candidate.name === name);
  if (endpoint !== undefined) return endpoint;
  const names = endpoints.map((candidate) => candidate.name).join(', ');
  const valid = names === '' ? 'It has none.' : `It has ${names}.`;
  const invalid = faults.length === 0 ? '' : ` Not valid: ${faults.map(({ message }) => message).join('; ')}.`;
  throw new Error(`WEBHOOKS_FILE has no valid endpoint ${name}. ${valid}${invalid}`);
}
