import { type Schema, type SchemaComparer, show } from './comparison.js';
import { compareMembers } from './member-changes.js';
import type { Json } from './references.js';

type Comparer = (context: SchemaComparer, before: Json, after: Json, where: string) => void;

/** Keywords that are judged together, each group by one function. */
const comparers: [keywords: string[], compare: Comparer][] = [
  [['type'], compareTypes],
  [['enum', 'const'], compareValues],
  [['default'], compareDefaults],
  [['properties', 'required', 'additionalProperties'], compareMembers],
  [['items'], compareElements],
  ...['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'].map(
    bound((before, after) => after > before),
  ),
  ...['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'].map(
    bound((before, after) => after < before),
  ),
  ...['pattern', 'format', 'multipleOf', 'uniqueItems'].map(
    // Two that differ cannot be compared.
    bound(() => true),
  ),
];
const judged = new Set(comparers.flatMap(([keywords]) => keywords));

/** Compares two schemas keyword by keyword. What it does not know must stay the same. */
export function compareKeywords(context: SchemaComparer, before: Json, after: Json, where: string): void {
  for (const [keywords, compare] of comparers) {
    if (keywords.some((keyword) => keyword in before || keyword in after)) compare(context, before, after, where);
  }
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (judged.has(keyword) || context.comparison.isSame(before[keyword], after[keyword])) continue;
    context.report(where, `\`${keyword}\` changed, which this check cannot judge`);
  }
}

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** The types of a schema, which may be those of the values that it lists; a number may be an integer. */
function typesOf(schema: Json): string[] {
  const { type = valuesOf(schema)?.map((value) => typeOf(JSON.parse(value))) ?? TYPES } = schema;
  const types = [type].flat() as string[];
  return types.includes('number') ? [...types, 'integer'] : types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function compareTypes(context: SchemaComparer, before: Json, after: Json, where: string): void {
  const [was, is] = [typesOf(before), typesOf(after)];
  const lost = was.some((type) => !is.includes(type));
  const gained = is.some((type) => !was.includes(type));
  if (lost || (gained && context.direction === 'received')) {
    context.report(where, `its type was ${show(before['type'])} and is ${show(after['type'])}`);
  }
}

/** The values that a schema lists, each as JSON; undefined if it lists none. */
function valuesOf(schema: Json): string[] | undefined {
  const values = 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
  return values?.map((value) => JSON.stringify(value));
}

/** Consumers have been told that there may be new ones (docs/interface.md). */
const isProblemType = (value: string) => value.startsWith('"urn:problem-type:');

function compareValues(context: SchemaComparer, before: Json, after: Json, where: string): void {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  if (was === undefined || is === undefined) {
    if (was === undefined) context.report(where, `is one of ${is?.join(', ')}, and was not bound to them`);
    else if (context.direction === 'received') context.report(where, `is not bound to ${was.join(', ')} any more`);
    return;
  }
  for (const value of was.filter((value) => !is.includes(value))) context.report(where, `${value} is gone`);
  if (context.direction === 'sent') return;
  const gained = is.filter((value) => !was.includes(value) && !isProblemType(value));
  for (const value of gained) context.report(where, `${value} is a new value that may be received`);
}

function compareDefaults(context: SchemaComparer, before: Json, after: Json, where: string): void {
  if (context.direction === 'received' || context.comparison.isSame(before['default'], after['default'])) return;
  context.report(where, `left out, it meant ${show(before['default'])} and means ${show(after['default'])}`);
}

function compareElements(context: SchemaComparer, before: Json, after: Json, where: string): void {
  context.compare(before['items'] as Schema, after['items'] as Schema, `${where}[]`);
}

/** A keyword that binds values; what is sent may be bound less than before, what is received must be bound the same. */
function bound(isTighter: (before: number, after: number) => boolean) {
  return (keyword: string): [string[], Comparer] => [
    [keyword],
    ({ direction, comparison }, before, after, where) => {
      const [was, is] = [before[keyword], after[keyword]];
      if (was === is) return;
      const isLooser = is === undefined || (was !== undefined && !isTighter(was as number, is as number));
      if (direction === 'sent' && isLooser) return;
      comparison.report(where, `\`${keyword}\` was ${show(was)} and is ${show(is)}`);
    },
  ];
}
