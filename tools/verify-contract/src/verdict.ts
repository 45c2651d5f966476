import { stripVTControlCharacters } from 'node:util';
import type { Contract, Interaction } from './contract.js';
import { providerStates } from './provider-states.js';
import type { Verification } from './verification.js';

/** Interactions that a verdict names at most; it counts the rest. */
const NAMED = 7;

/** The lines of the verdict on a contract: interactions that hold, those that do not, and the reasons. */
export function verdictOn(contract: Contract, verification: Verification): string[] {
  const { consumer, interactions } = contract;
  const failures = failuresIn(verification.printed);
  const broken = interactions.flatMap((interaction) => {
    const failure = failures.find(({ title }) => isOf(title, interaction));
    return failure === undefined ? [] : [{ interaction, causes: causesOf(interaction, failure, verification) }];
  });
  if (verification.outcome === 'kept') {
    return [`The service keeps the contract of ${consumer}.`, ...named('holds', interactions), count(interactions)];
  }
  // Any other reason is in what the verifier printed.
  if (verification.outcome === 'not verified' || broken.length === 0) {
    return [`The contract of ${consumer} was not verified:`, ...verification.printed.trim().split('\n')];
  }
  const held = interactions.filter((each) => broken.every(({ interaction }) => interaction !== each));
  return [
    `The service breaks the contract of ${consumer}.`,
    ...named('holds', held),
    `${broken.length} of ${count(interactions)} do not hold:`,
    ...broken.flatMap(linesOf),
  ];
}

interface Broken {
  interaction: Interaction;
  causes: string[];
}

function linesOf({ interaction, causes }: Broken): string[] {
  const indented = causes.map((cause) => `            ${cause}`);
  return [`  breaks  ${interaction.description}${given(interaction)}`, ...indented];
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

/** The failures that the verifier prints, each with a number, its title, and an indented line for each mismatch. */
function failuresIn(printed: string): Failure[] {
  const [, listed = ''] = stripVTControlCharacters(printed).split('\nFailures:\n');
  return listed
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
