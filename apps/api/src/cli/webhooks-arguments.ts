import { parseWords, UsageError } from './command.js';

export const USAGE = `Usage: webhooks list
       webhooks retry NAME [EVENT]
       webhooks drop NAME EVENT
       webhooks replay NAME --since TIME
       webhooks forget NAME
       webhooks ping NAME
`;

export type WebhooksArguments = ReturnType<typeof readArguments>;

const COMMANDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  list: [0, 0],
  retry: [1, 2],
  drop: [2, 2],
  replay: [1, 1],
  forget: [1, 1],
  ping: [1, 1],
};

/** @returns `event`: an event's id; `since`: milliseconds since 1970. @throws UsageError */
export function readArguments(args: string[]) {
  const { values, positionals } = parseWords({ since: { type: 'string' } }, args);
  const [command = '', ...operands] = positionals;
  const [least, most] = COMMANDS[command] ?? [1, 0];
  const [name = '', event] = operands;
  const since = values.since === undefined ? undefined : Date.parse(values.since);
  const isTimeFit = since === undefined ? command !== 'replay' : command === 'replay' && since >= 0;
  if (operands.length < least || operands.length > most || !isTimeFit) throw new UsageError();
  return { command, name, event, since };
}
