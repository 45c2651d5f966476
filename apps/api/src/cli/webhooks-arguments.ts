import { parseWords, UsageError } from './command.js';

export const USAGE = `Usage: webhooks list
       webhooks retry NAME [EVENT]
       webhooks drop NAME EVENT
       webhooks forget NAME
       webhooks ping NAME
`;

export type WebhooksArguments = ReturnType<typeof readArguments>;

const COMMANDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  list: [0, 0],
  retry: [1, 2],
  drop: [2, 2],
  forget: [1, 1],
  ping: [1, 1],
};

/** @returns `event`: an event's id @throws UsageError */
export function readArguments(args: string[]) {
  const { positionals } = parseWords({}, args);
  const [command = '', ...operands] = positionals;
  const [least, most] = COMMANDS[command] ?? [1, 0];
  const [name = '', event] = operands;
  if (operands.length < least || operands.length > most) throw new UsageError();
  return { command, name, event };
}
