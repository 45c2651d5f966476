import { SlotTakenError } from '@booking-service/client';
import type { Rejection, Replay } from './replay.js';

const EXAMPLES = 3;

/** The outcome of the week, as lines for a terminal. */
export function summary({ accepted, rejected, repeated }: Replay, lost: number): string {
  const withSlot = accepted.filter(({ booking }) => booking.slot !== undefined).length;
  return [
    `Accepted  ${accepted.length}: ${withSlot} with a slot, ${accepted.length - withSlot} without (vouchers, waiting list)`,
    `Lost      ${lost} responses; the client retried those requests itself, with the same key`,
    `Repeated  ${repeated.length}: sent twice with one key, and got the existing booking`,
    `Rejected  ${rejected.length}`,
    ...byErrorClass(rejected).map(describeClass),
  ].join('\n');
}

function describeClass([name, rejected]: [string, Rejection[]]): string {
  const examples = examplesOf(rejected).map((rejection) => `    ${describe(rejection)}`);
  return [`  ${name}  ${rejected.length}`, ...examples].join('\n');
}

function byErrorClass(rejected: Rejection[]): [string, Rejection[]][] {
  const names = [...new Set(rejected.map(({ error }) => error.name))];
  return names.map((name) => [name, rejected.filter(({ error }) => error.name === name)]);
}

/** Spread over the whole week. */
function examplesOf(rejected: Rejection[]): Rejection[] {
  const step = Math.max(1, Math.floor(rejected.length / EXAMPLES));
  return rejected.filter((_, index) => index % step === 0).slice(0, EXAMPLES);
}

function describe({ request, error }: Rejection): string {
  const { slot } = request.payload;
  if (error instanceof SlotTakenError && error.conflictingSlot !== undefined && slot !== undefined) {
    const held = error.conflictingSlot;
    return `${slot.resource_id}  ${slot.start} to ${slot.end}\n      held: ${held.start} to ${held.end}`;
  }
  const faults = error.problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? [error.problem.detail];
  return [`${request.via}, ${request.at}`, ...faults.map((fault) => `      ${fault}`)].join('\n');
}
