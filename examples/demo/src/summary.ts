import { SlotTakenError } from '@booking-service/client';
import type { Refusal, Replay } from './replay.js';

const EXAMPLES = 3;

/** What came of the week, in lines for a terminal. */
export function summary({ accepted, refused, repeated }: Replay, lost: number): string {
  const withSlot = accepted.filter(({ booking }) => booking.slot !== undefined).length;
  return [
    `Accepted  ${accepted.length}: ${withSlot} with a slot, ${accepted.length - withSlot} without (vouchers, waiting list)`,
    `Lost      ${lost} answers on their way back; the client sent those requests again by itself, under the same key`,
    `Repeated  ${repeated.length}: sent twice under one key, answered with the booking that was there`,
    `Refused   ${refused.length}`,
    ...byErrorClass(refused).map(describeClass),
  ].join('\n');
}

function describeClass([name, refused]: [string, Refusal[]]): string {
  const examples = examplesOf(refused).map((refusal) => `    ${describe(refusal)}`);
  return [`  ${name}  ${refused.length}`, ...examples].join('\n');
}

function byErrorClass(refused: Refusal[]): [string, Refusal[]][] {
  const names = [...new Set(refused.map(({ error }) => error.name))];
  return names.map((name) => [name, refused.filter(({ error }) => error.name === name)]);
}

/** Some from the whole week rather than the first. */
function examplesOf(refused: Refusal[]): Refusal[] {
  const step = Math.max(1, Math.floor(refused.length / EXAMPLES));
  return refused.filter((_, index) => index % step === 0).slice(0, EXAMPLES);
}

function describe({ request, error }: Refusal): string {
  const { slot } = request.payload;
  if (error instanceof SlotTakenError && error.conflictingSlot !== undefined && slot !== undefined) {
    const held = error.conflictingSlot;
    return `${slot.resource_id}  ${slot.start} to ${slot.end}\n      held: ${held.start} to ${held.end}`;
  }
  const faults = error.problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? [error.problem.detail];
  return [`${request.via}, ${request.at}`, ...faults.map((fault) => `      ${fault}`)].join('\n');
}
