import type { Schema, SchemaComparer } from './comparison.js';
import { isAnnotation, type Json } from './references.js';

type Members = Record<string, Schema>;

/** Compares the members of an object: which there are, which must be there, and whether there may be others. */
export function compareMembers(context: SchemaComparer, before: Json, after: Json, where: string): void {
  const [was, is] = [membersOf(before), membersOf(after)];
  for (const name of Object.keys(was)) {
    if (name in is) context.compare(was[name], is[name], `${where}.${name}`);
    else context.report(`${where}.${name}`, 'is gone');
  }
  compareRequired(context, before, after, where);
  if (context.direction === 'sent' && before['additionalProperties'] !== false)
    reportTakenNames(context, was, after, where);
  compareOthers(context, before, after, where);
}

const membersOf = (schema: Json): Members => (schema['properties'] ?? {}) as Members;
const requiredOf = (schema: Json): string[] => (schema['required'] ?? []) as string[];

function compareRequired(context: SchemaComparer, before: Json, after: Json, where: string): void {
  const [was, is] = [requiredOf(before), requiredOf(after)];
  if (context.direction === 'sent') {
    const gained = is.filter((name) => !was.includes(name));
    for (const name of gained) context.report(`${where}.${name}`, 'is required, and was not');
    return;
  }
  const isGone = (name: string) => name in membersOf(before) && !(name in membersOf(after));
  const lost = was.filter((name) => !is.includes(name) && !isGone(name));
  for (const name of lost) context.report(`${where}.${name}`, 'may be missing, and was always there');
}

/** In an open object every name was the consumer's own, with any value. */
function reportTakenNames(context: SchemaComparer, was: Members, after: Json, where: string): void {
  const required = requiredOf(after);
  for (const [name, schema] of Object.entries(membersOf(after))) {
    const takesAnything = schema === true || (typeof schema === 'object' && Object.keys(schema).every(isAnnotation));
    if (name in was || takesAnything || required.includes(name)) continue;
    context.report(`${where}.${name}`, 'is a new member with a rule, and the name was free for any value');
  }
}

function compareOthers(context: SchemaComparer, before: Json, after: Json, where: string): void {
  const was = before['additionalProperties'] as Schema;
  const is = after['additionalProperties'] as Schema;
  if (was === false) return;
  if (is === false) context.report(where, 'has no members but those listed, and had others');
  else context.compare(was, is, `${where}.*`);
}
