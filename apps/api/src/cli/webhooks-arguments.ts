import { parseWords, UsageError } from './command.js';

export const USAGE = `Usage: webhooks list
       webhooks retry NAME [EVENT]
       webhooks drop NAME EVENT
       webhooks forget NAME
       webhooks ping NAME
`;

export type WebhooksArguments = ReturnType<typeof readArguments>;

/** Number of words that may follow each command. */
const OPERANDS: Readonly<Record<string, { least: number; most: number }>> = {
  list: { least: 0, most: 0 },
  retry: { least: 1, most: 2 },
  drop: { least: 2, most: 2 },
  forget: { least: 1, most: 1 },
  ping: { least: 1, most: 1 },
};

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
