import { formatInstant } from '@booking-service/contracts';
import { readConfig } from '../config/config.js';
import { DeliveryOperations, type FailedEvent } from '../features/events/delivery-operations.js';
import { MAX_COUNT } from '../features/events/delivery-statements.js';
import { DeliveryStore, type EndpointState } from '../features/events/delivery-store.js';
import { headersOf, ping } from '../features/events/event.js';
import { WebhookSender } from '../features/events/webhook-sender.js';
import { type Endpoint, webhooksFile, type WebhooksFileSettings } from '../features/events/webhooks-file.js';
import { parseWords, UsageError } from './command.js';
import { withDatabase } from './with-database.js';

export const USAGE = `Usage: webhooks list
       webhooks retry NAME [EVENT]
       webhooks drop NAME EVENT
       webhooks forget NAME
       webhooks ping NAME
`;

type WebhooksArguments = ReturnType<typeof readArguments>;

/** Number of words that may follow each command. */
const OPERANDS: Readonly<Record<string, { least: number; most: number }>> = {
  list: { least: 0, most: 0 },
  retry: { least: 1, most: 2 },
  drop: { least: 2, most: 2 },
  forget: { least: 1, most: 1 },
  ping: { least: 1, most: 1 },
};

/**
 * Does what the words of a command say.
 *
 * @returns what the command prints
 * @throws UsageError for wrong words; Error with what failed
 */
export async function webhooks(words: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const given = readArguments(words);
  if (given.command === 'ping') return sendPing(env, given.name);
  return withDatabase(env, async (database) => {
    const states = await new DeliveryStore(database).states();
    return operate(new DeliveryOperations(database), states, given);
  });
}

async function operate(
  operations: DeliveryOperations,
  states: readonly EndpointState[],
  { command, name, event }: WebhooksArguments,
): Promise<string> {
  if (command === 'list') return list(operations, states);
  const state = states.find((candidate) => candidate.name === name);
  if (command === 'forget') {
    const used = `${name} is in the file of a service seen in the last two minutes. Remove it there first.`;
    if (state?.isInFile) throw new Error(used);
    const count = await operations.forget(name);
    // An interrupted run may have deleted the endpoint, but not all of its events.
    if (state === undefined && count === 0) throw new Error(`endpoint ${name} is unknown.`);
    return `${name} is forgotten, with ${counted(count, 'undelivered event')}.\n`;
  }
  if (state === undefined) throw new Error(`endpoint ${name} is unknown.`);
  if (command === 'drop') {
    if (await operations.drop(name, event!)) return `${event} is dropped for ${name}.\n`;
    throw new Error(`${name} has no undelivered event ${event}.`);
  }
  const count = await operations.retry(name, event);
  if (event !== undefined && count === 0) throw new Error(`${event} has not failed for ${name}.`);
  return `${name} is retried now, with ${event ?? counted(count, 'dead letter')}.\n`;
}

async function list(operations: DeliveryOperations, states: readonly EndpointState[]): Promise<string> {
  const lines: string[] = [];
  for (const state of states) {
    const { name, pending, age, deadLetters, isInFile } = state;
    const oldest = pending === 0 ? '' : ` for up to ${Math.ceil(age)} s`;
    const unused = isInFile ? '' : ', in the file of no running service';
    lines.push(
      `${name}: ${stateOf(state)}, ${leastOf(pending)}${pending} pending${oldest}, ` +
        `${leastOf(deadLetters)}${counted(deadLetters, 'dead letter')}${unused}`,
    );
    for (const event of await operations.failed(name)) lines.push(`  ${lineOf(event, state.failures === 0)}`);
  }
  return lines.length === 0 ? 'There are no endpoints yet.\n' : `${lines.join('\n')}\n`;
}

function stateOf({ failures, nextIn, endedUrl, lastError }: EndpointState): string {
  if (failures === 0) return 'up';
  if (endedUrl !== null) return `ended, ${endedUrl} responded ${lastError}`;
  return `fails after ${counted(failures, 'attempt')} (${lastError}), next in ${Math.ceil(nextIn)} s`;
}

/** @param isUp whether the endpoint accepts events */
function lineOf({ id, since, attempts, due, error }: FailedEvent, isUp: boolean): string {
  const first = `${id}  since ${formatInstant(since)}, ${counted(attempts, 'attempt')}`;
  if (due === null) return `${first}, dead letter: ${error}`;
  return `${first}, ${isUp ? `next attempt ${formatInstant(due)}` : 'waits for the endpoint'}: ${error}`;
}

/** Counting ends at a maximum. */
function leastOf(count: number): string {
  return count === MAX_COUNT ? 'at least ' : '';
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function sendPing(env: NodeJS.ProcessEnv, name: string): Promise<string> {
  const { events } = readConfig(env);
  if (events === undefined) throw new Error('WEBHOOKS_FILE is not set.');
  const { url, secrets } = await endpointOf(events, name);
  const sender = new WebhookSender(events);
  const message = ping(events.source);
  const start = performance.now();
  try {
    const { signal } = new AbortController();
    const { outcome, reason } = await sender.send(url, headersOf(message, secrets), message.body, signal);
    const verb = /^\d{3}$/.test(reason) ? 'responds' : 'did not respond:';
    const line = `${name} ${verb} ${reason}, after ${Math.round(performance.now() - start)} ms.`;
    if (outcome !== 'delivered') throw new Error(line);
    return `${line}\n`;
  } finally {
    sender.close();
  }
}

/** @throws Error if WEBHOOKS_FILE has no such endpoint, with those that it has */
async function endpointOf(settings: WebhooksFileSettings, name: string): Promise<Endpoint> {
  let endpoints: readonly Endpoint[] = [];
  await webhooksFile(settings, (found) => (endpoints = found)).load();
  const endpoint = endpoints.find((candidate) => candidate.name === name);
  if (endpoint !== undefined) return endpoint;
  const names = endpoints.map((candidate) => candidate.name).join(', ') || 'none';
  throw new Error(`WEBHOOKS_FILE has no endpoint ${name}. It has ${names}.`);
}

/** @returns the command and its words; `event` is the id of an event @throws UsageError */
export function readArguments(args: string[]) {
  const { positionals } = parseWords({}, args);
  const [command = '', ...operands] = positionals;
  const [name = '', event] = operands;
  const allowed = OPERANDS[command];
  if (allowed === undefined || operands.length < allowed.least || operands.length > allowed.most)
    throw new UsageError();
  return { command, name, event };
}
