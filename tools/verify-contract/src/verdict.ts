import { isDeepStrictEqual, stripVTControlCharacters } from 'node:util';
import type { Contract, Interaction } from './contract.js';
import type { Result } from './report.js';
import type { Verification } from './verification.js';

/** Interactions that a verdict names at most; it counts the rest. */
const NAMED = 7;

export interface Verdict {
  outcome: Verification['outcome'];
  lines: string[];
}

/**
 * Which interactions hold, which do not, and why.
 *
 * @param report returns what the verifier reported of each interaction; throws where it did not
 */
export function verdictOn(
  { consumer, interactions }: Contract,
  verification: Verification,
  report: () => Result[],
): Verdict {
  let results: Result[];
  try {
    results = report();
  } catch (error) {
    return notVerified(consumer, (error as Error).message, verification);
  }
  const failed = interactions.flatMap((interaction, index) => {
    const result = results[index]!;
    return result.success ? [] : [{ interaction, causes: causesOf(interaction, result, verification) }];
  });
  const held = interactions.filter((_, index) => results[index]!.success);
  const pending = failed.filter(({ interaction }) => interaction.isPending);
  const broken = failed.filter(({ interaction }) => !interaction.isPending);
  const outcome = broken.length > 0 ? 'broken' : 'kept';
  if (verification.outcome !== outcome) {
    return notVerified(
      consumer,
      `By its report it is ${outcome}; the verifier says: ${verification.outcome}.`,
      verification,
    );
  }
  const exception = outcome === 'kept' && pending.length > 0 ? ', apart from what is pending' : '';
  const ofAll = (some: Failed[]) => `${some.length} of ${count(interactions)}`;
  const lines = [
    `The service ${outcome === 'kept' ? 'keeps' : 'breaks'} the contract of ${consumer}${exception}.`,
    ...named('holds', held),
  ];
  if (pending.length > 0)
    lines.push(`${ofAll(pending)} are pending and do not hold yet:`, ...linesOf('pending', pending));
  if (broken.length > 0) lines.push(`${ofAll(broken)} do not hold:`, ...linesOf('breaks', broken));
  return { outcome, lines: failed.length > 0 ? lines : [...lines, count(interactions)] };
}

function notVerified(consumer: string, fault: string, { printed }: Verification): Verdict {
  const lines = stripVTControlCharacters(printed).trim().split('\n');
  return { outcome: 'not verified', lines: [`The contract of ${consumer} was not verified:`, ...lines, fault] };
}

interface Failed {
  interaction: Interaction;
  causes: string[];
}

function linesOf(word: string, failed: Failed[]): string[] {
  return failed.flatMap(({ interaction, causes }) => {
    const indented = causes.flatMap((cause) => cause.split('\n')).map((line) => `            ${line}`);
    return [`  ${word.padEnd(7)} ${interaction.description}${given(interaction)}`, ...indented];
  });
}

function given({ states }: Interaction): string {
  return states.length === 0 ? '' : ` (${states.map(({ name }) => name).join(', ')})`;
}

function named(word: string, interactions: Interaction[]): string[] {
  const lines = interactions.slice(0, NAMED).map(({ description }) => `  ${word}   ${description}`);
  const more = interactions.length - lines.length;
  return more === 0 ? lines : [...lines, `  ${word}   ${more} more`];
}

function count({ length }: Interaction[]): string {
  return `${length} ${length === 1 ? 'interaction' : 'interactions'}`;
}

/** Why an interaction does not hold: the fault of its state or message where there is one, else what differs. */
function causesOf({ states }: Interaction, result: Result, { faults }: Verification): string[] {
  const entered = states.length > 0 ? states : [{ name: '' }];
  const ofStates = faults.filter(({ state, params }) => {
    return entered.some((each) => each.name === state && isDeepStrictEqual(each.params ?? {}, params ?? {}));
  });
  if (ofStates.length > 0) return [...new Set(ofStates.map(({ fault }) => fault))];
  const mismatches = result.mismatches.map(({ attribute, identifier, description }) => {
    return `${attribute}${identifier ? ` ${identifier}` : ''}: ${description}`;
  });
  return [...mismatches, ...result.exceptions.map(({ message }) => message)];
}
