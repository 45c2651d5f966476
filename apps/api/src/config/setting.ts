import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { flag, wholeNumber } from './variable-types.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of the environment. An empty one counts as not set. */
export class Setting<Value> {
  /**
   * @param type the values, with the default if there is one
   * @param shownDefault describes a default that is not a constant
   */
  constructor(
    readonly variable: string,
    readonly type: z.ZodType<Value, string | undefined>,
    readonly shownDefault?: string,
  ) {}

  get defaultValue(): Value | undefined {
    return this.type.safeParse(undefined).data;
  }

  /** The possible values, in words. */
  get range(): string {
    const { type } = this;
    const inner = type instanceof z.ZodDefault || type instanceof z.ZodOptional ? type.unwrap() : type;
    return (inner as z.ZodType).meta()!['range'] as string;
  }

  /** @param required another variable, without which this one has no effect */
  read(env: Environment, faults: string[], required: string | undefined): Value | undefined {
    const { variable, type } = this;
    const text = env[variable] || undefined;
    const isInEffect = required === undefined || Boolean(env[required]);
    if (text === undefined && !isInEffect) return undefined;
    const { data, error } = type.safeParse(text);
    if (error !== undefined) {
      const invalid = `${variable} ${error.issues[0]!.message}`;
      faults.push(text === undefined ? `${required} requires ${variable}` : invalid);
    } else if (!isInEffect && !isDeepStrictEqual(data, this.defaultValue)) {
      // The service would only seem guarded, limited or durable.
      faults.push(`${variable} requires ${required}`);
    }
    return data;
  }
}

/** @param range the least and the most */
export function number(variable: string, range: [number, number], byDefault: number, shownDefault?: string) {
  return new Setting(variable, wholeNumber(...range).default(byDefault), shownDefault);
}

export function onOrOff(variable: string, byDefault: boolean) {
  return new Setting(variable, flag().default(byDefault));
}

/** Settings that have an effect only if a certain one of them is set. */
export class Group<Members extends Tree> {
  /** The variable without which the others have no effect. */
  readonly required: string;

  /** @param name that of the certain setting */
  constructor(
    name: keyof Members,
    readonly members: Members,
  ) {
    this.required = (members[name] as Setting<unknown>).variable;
  }
}

/** Settings by the names that the code gives them. */
interface Tree {
  readonly [name: string]: Setting<unknown> | Group<Tree> | Tree;
}

/** The values of settings; undefined for a group whose certain setting is not set. */
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
    const values = valuesOf(node.members, env, faults, node.required);
    return env[node.required] ? values : undefined;
  }
  const entries = Object.entries(node).map(([name, each]) => [name, valuesOf(each, env, faults, required)] as const);
  return Object.fromEntries(entries);
}
