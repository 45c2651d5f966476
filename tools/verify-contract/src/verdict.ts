import { stripVTControlCharacters } from 'node:util';
import type { Contract, Interaction } from './contract.js';
import { providerStates } from './provider-states.js';
import type { Verification } from './verification.js';

/** Interactions that a verdict names at most; it counts the rest. */
const NAMED = 7;

export interface Verdict {
  outcome: Verification['outcome'];
  lines: string[];
}

/** Which interactions hold, which do not, and why. It does not say that one holds unless the verifier printed its name. */
export function verdictOn(contract: Contract, verification: Verification): Verdict {
  const { consumer, interactions } = contract;
  const printed = stripVTControlCharacters(verification.printed);
  const failures = failuresIn(printed);
  const failed = interactions.flatMap((interaction) => {
    const failure = failures.find(({ title }) => isOf(title, interaction));
    return failure === undefined ? [] : [{ interaction, causes: causesOf(interaction, failure, verification) }];
  });
  const held = interactions.filter((each) => failed.every(({ interaction }) => interaction !== each));
  const [pending, broken] = [true, false].map((isPending) =>
    failed.filter(({ interaction }) => interaction.isPending === isPending),
  ) as [Failed[], Failed[]];
  const outcome = broken.length > 0 ? 'broken' : 'kept';
  // Any other reason is in what the verifier printed.
  if (verification.outcome !== outcome || !held.every(({ description }) => printed.includes(`\n  ${description} (`))) {
    return {
      outcome: 'not verified',
      lines: [`The contract of ${consumer} was not verified:`, ...printed.trim().split('\n')],
    };
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

interface Failed {
  interaction: Interaction;
  causes: string[];
}

function linesOf(word: string, failed: Failed[]): string[] {
  return failed.flatMap(({ interaction, causes }) => {
    const indented = causes.map((cause) => `            ${cause}`);
    return [`  ${word.padEnd(7)} ${interaction.description}${given(interaction)}`, ...indented];
  });
}

function given({ states }: Interaction): string {
  return states.length === 0 ? '' : ` (${states.join(', ')})`;
}

function named(word: string, interactions: Interaction[]): string[] {
  const lines = interactions.slice(0, NAMED).map(({ description }) => `  ${word}   ${description}`);
  const more = interactions.length - lines.length;
  return more === 0 ? lines : [...lines, `  ${word}   ${more} more`];
}

function count({ length }: Interaction[]): string {
  return `${length} ${length === 1 ? 'interaction' : 'interactions'}`;
}

interface Failure {
  /** Consumer, provider, states and description. */
  title: string;
  causes: string[];
}

/**
 * The failures that the verifier prints, those that are pending first, each with a number, its title, and an indented
 * line for each mismatch.
 */
function failuresIn(printed: string): Failure[] {
  const [, ...listed] = printed.split(/^(?:Pending )?Failures:$/m);
  return listed
    .join('')
    .split(/^\d+\) Verifying a pact between /m)
    .slice(1)
    .map((failure) => {
      const [title = '', ...lines] = failure.split('\n');
      return { title, causes: lines.flatMap(causeIn) };
    });
}

/** A mismatch has a numbered heading and, indented by 11 columns, what was expected; a diff of the whole body follows. */
function causeIn(line: string): string[] {
  const [, cause] = /^ {11}(\S.*)$/.exec(line) ?? [];
  return cause === undefined ? [] : [cause.replace(/^expected (?=\d+ but)/, 'status: expected ')];
}

function isOf(title: string, { description, states }: Interaction): boolean {
  const isNamed = title.endsWith(` - ${description}`) || title.includes(` - ${description} - `);
  return isNamed && states.every((state) => title.includes(state));
}

function causesOf({ states }: Interaction, { title, causes }: Failure, { stateFaults }: Verification): string[] {
  const ofStates = states.flatMap((state) => {
    if (!(state in providerStates)) return [`The state \`${state}\` is not known. There are:`, ...statesThere()];
    return stateFaults.has(state) ? [`The state \`${state}\` cannot be made: ${stateFaults.get(state)}`] : [];
  });
  if (ofStates.length > 0) return ofStates;
  return causes.length > 0 ? causes : [title];
}

function statesThere(): string[] {
  return Object.entries(providerStates).map(([name, parameters]) => `  \`${name}\` (${parameters})`);
}
