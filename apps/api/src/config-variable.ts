import { z } from 'zod';

/** What the text of a variable may be, and what is made of it. */
interface Kind<Value> {
  readonly schema: z.ZodType<Value, string>;
  /** The same for readers of `docs/configuration.md`. */
  readonly range: string;
}

/** An environment variable: a row of the table in `config.ts`, and of the one in `docs/configuration.md`. */
export interface Variable<Value> extends Kind<Value> {
  readonly meaning: string;
  /** What is read where the variable is not set. */
  readonly fallback: string | undefined;
  /** The default for readers. */
  readonly shownDefault: string;
}

export type Values<Table> = { [Name in keyof Table]: Table[Name] extends Variable<infer Value> ? Value : never };

/** @param shownDefault where the fallback depends on the machine, how it is found */
export function variable<Value>(
  kind: Kind<Value>,
  fallback: string,
  meaning: string,
  shownDefault = fallback,
): Variable<Value> {
  return { ...kind, fallback, meaning, shownDefault };
}

/** @param shownDefault what an unset variable means, where that is not plain */
export function optional<Value>(
  kind: Kind<Value>,
  meaning: string,
  shownDefault = 'not set',
): Variable<Value | undefined> {
  return { ...kind, fallback: undefined, meaning, shownDefault };
}

/**
 * Reads the variables of a table; an empty one counts as not set.
 *
 * @returns the values, and what is wrong with those that have none
 */
export function readVariables<Table extends Record<string, Variable<unknown>>>(
  table: Table,
  env: Record<string, string | undefined>,
): { values: Partial<Values<Table>>; faults: string[] } {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, { schema, fallback }] of Object.entries(table)) {
    const text = env[name] || fallback;
    if (text === undefined) continue;
    const { success, data, error } = schema.safeParse(text);
    if (success) values[name] = data;
    else faults.push(`${name} ${error.issues[0]!.message}`);
  }
  return { values: values as Partial<Values<Table>>, faults };
}

/** A whole number in decimal digits. */
export function wholeNumber(least: number, most: number): Kind<number> {
  const error = `must be a whole number from ${least} to ${most}`;
  const schema = z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(least, { error }).max(most, { error }));
  return { schema, range: `${least} to ${most}` };
}

export function flag(): Kind<boolean> {
  return { schema: z.stringbool({ error: 'must be true or false' }), range: 'true, false' };
}

export function oneOf<const Value extends string>(values: readonly Value[]): Kind<Value> {
  const range = values.join(', ');
  return { schema: z.enum(values, { error: `must be one of ${range}` }), range };
}

/** Any text, or text of which `isValid` holds. */
export function text(range: string, isValid: (text: string) => boolean = () => true, error?: string): Kind<string> {
  return { schema: z.string().refine(isValid, error === undefined ? {} : { error }), range };
}

/** Items with commas between them, and white space around them or not. */
export function listOf<Item extends string>(
  range: string,
  isItem: (text: string) => text is Item,
  error: string,
): Kind<Item[]> {
  const schema = z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .pipe(z.custom<Item[]>((items) => (items as string[]).every(isItem), { error }));
  return { schema, range };
}
