import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of the environment. An empty one counts as not set. */
export class Setting<Value> {
  /**
   * @param meaning as docs/configuration.md has it
   * @param type the values, with the default if there is one
   * @param shownDefault describes a default that is not a constant
   */
  constructor(
    readonly variable: string,
    readonly meaning: string,
    readonly type: z.ZodType<Value, string | undefined>,
    readonly shownDefault?: string,
  ) {}

  get defaultValue(): Value | undefined {
    return this.type.safeParse(undefined).data;
  }

  /** @param required another variable, without which this one has no effect */
  read(env: Environment, faults: string[], required: string | undefined): Value | undefined {
    const { variable, type, defaultValue } = this;
    const text = env[variable] || undefined;
    const isInEffect = required === undefined || Boolean(env[required]);
    if (text === undefined && !isInEffect) return undefined;
    const { data, error } = type.safeParse(text);
    if (error !== undefined) {
      faults.push(text === undefined ? `${required} requires ${variable}` : `${variable} ${error.issues[0]!.message}`);
    } else if (!isInEffect && !isDeepStrictEqual(data, defaultValue)) {
      // The service would only seem guarded, limited or durable.
      faults.push(`${variable} requires ${required}`);
    }
    return data;
  }
}

/** Settings that have an effect only if the first one is set. */
export class Group<Members extends Tree> {
  constructor(readonly members: Members) {}

  get first(): string {
    return settingsOf(this)[0]!.variable;
  }
}

/** Settings by the names that the code gives them. */
interface Tree {
  readonly [name: string]: Setting<unknown> | Group<Tree> | Tree;
}

/** The values of settings; undefined for a group without its first setting. */
export type ValuesOf<Node> =
  Node extends Setting<infer Value>
    ? Value
    : Node extends Group<infer Members>
      ? ValuesOf<Members> | undefined
      : { readonly [Name in keyof Node]: ValuesOf<Node[Name]> };

export function settingsOf(node: Tree[string]): Setting<unknown>[] {
  if (node instanceof Setting) return [node];
  return Object.values(node instanceof Group ? node.members : node).flatMap(settingsOf);
}

/** @param faults gets a sentence for each setting that is invalid, or has no effect @returns values if there are none */
export function readSettings<Node extends Tree[string]>(node: Node, env: Environment, faults: string[]) {
  return valuesOf(node, env, faults) as ValuesOf<Node>;
}

function valuesOf(node: Tree[string], env: Environment, faults: string[], required?: string): unknown {
  if (node instanceof Setting) return node.read(env, faults, required);
  if (node instanceof Group) {
    const values = valuesOf(node.members, env, faults, node.first);
    return env[node.first] ? values : undefined;
  }
  const entries = Object.entries(node).map(([name, each]) => [name, valuesOf(each, env, faults, required)] as const);
  return Object.fromEntries(entries);
}
