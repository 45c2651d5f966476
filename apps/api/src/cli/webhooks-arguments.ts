import { parseArgs } from 'node:util';

export const USAGE = `Usage: webhooks list
       webhooks retry NAME [SEQUENCE]
       webhooks skip NAME
       webhooks replay NAME --from SEQUENCE
       webhooks replay NAME --since TIME
       webhooks drop NAME SEQUENCE
       webhooks forget NAME
       webhooks ping NAME
       webhooks renumber [--from SEQUENCE]
       webhooks on
       webhooks off [--force]
`;

/** The arguments are not those of a command. */
export class Usage extends Error {}

export interface WebhooksArguments {
  readonly command: string;
  readonly name: string;
  readonly sequence: number | undefined;
  readonly isForced: boolean;
  readonly from: number | undefined;
  /** Milliseconds since 1970. */
  readonly since: number | undefined;
}

/** Operands of each command, at least and at most, and its options, one of which it needs where `needsOption`. */
const COMMANDS: Readonly<
  Record<string, { operands: readonly [number, number]; options?: readonly string[]; needsOption?: true }>
> = {
  list: { operands: [0, 0] },
  retry: { operands: [1, 2] },
  skip: { operands: [1, 1] },
  replay: { operands: [1, 1], options: ['from', 'since'], needsOption: true },
  drop: { operands: [2, 2] },
  forget: { operands: [1, 1] },
  ping: { operands: [1, 1] },
  renumber: { operands: [0, 0], options: ['from'] },
  on: { operands: [0, 0] },
  off: { operands: [0, 0], options: ['force'] },
};

/** @throws Usage */
export function readArguments(args: string[]): WebhooksArguments {
  const { values, positionals } = parse(args);
  const [command = '', ...operands] = positionals;
  const form = COMMANDS[command];
  const given = Object.keys(values);
  const isFit =
    form !== undefined &&
    operands.length >= form.operands[0] &&
    operands.length <= form.operands[1] &&
    given.length <= 1 &&
    given.every((option) => form.options?.includes(option)) &&
    (given.length === 1 || !form.needsOption);
  if (!isFit) throw new Usage();
  const [name = '', sequence] = operands;
  return {
    command,
    name,
    sequence: sequence === undefined ? undefined : sequenceOf(sequence),
    isForced: values.force === true,
    from: values.from === undefined ? undefined : sequenceOf(values.from),
    since: values.since === undefined ? undefined : timeOf(values.since),
  };
}

function parse(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      args,
      allowPositionals: true,
      options: { force: { type: 'boolean' }, from: text, since: text },
    });
  } catch {
    throw new Usage();
  }
}

function sequenceOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Usage();
  return Number(text);
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (!(time >= 0)) throw new Usage();
  return time;
}
