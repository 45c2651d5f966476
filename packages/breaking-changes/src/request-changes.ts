import type { Comparison, Schema } from './comparison.js';
import type { Operation } from './operations.js';
import { type Json, resolve } from './references.js';
import { SchemaComparison } from './schema-changes.js';

/** Reports what consumers may not send any more, or have to send now: parameters and bodies. */
export function compareRequests(comparison: Comparison, before: Operation, after: Operation, name: string): void {
  compareParameters(comparison, before, after, name);
  compareBodies(comparison, before, after, `${name}, request body`);
}

function compareParameters(comparison: Comparison, before: Operation, after: Operation, name: string): void {
  const [was, is] = [byName(before), byName(after)];
  for (const [key, parameter] of was) {
    const newer = is.get(key);
    // The service refuses a parameter of the query that it does not know.
    if (newer === undefined) comparison.report(`${name}, ${key}`, 'is gone');
    else compareParameter(comparison, parameter, newer, `${name}, ${key}`);
  }
  for (const [key, parameter] of is) {
    if (!was.has(key) && parameter['required'] === true) comparison.report(`${name}, ${key}`, 'is new and required');
  }
}

/** As messages name them; names of headers have no case. The operation's own stand in for those of its path. */
export function byName({ parameters }: Operation): Map<string, Json> {
  return new Map(
    parameters.map((parameter) => {
      const name = String(parameter['name']);
      const key = parameter['in'] === 'header' ? name.toLowerCase() : name;
      return [`${String(parameter['in'])} parameter ${key}`, parameter];
    }),
  );
}

function compareParameter(comparison: Comparison, before: Json, after: Json, where: string): void {
  if (after['required'] === true && before['required'] !== true) comparison.report(where, 'is required, and was not');
  for (const member of ['style', 'explode', 'allowReserved', 'allowEmptyValue', 'content']) {
    if (comparison.isSame(before[member], after[member])) continue;
    comparison.report(where, `is written in another way (\`${member}\`)`);
  }
  const schemas = new SchemaComparison(comparison, 'sent');
  schemas.compare(before['schema'] as Schema, after['schema'] as Schema, where);
}

function compareBodies(comparison: Comparison, before: Operation, after: Operation, where: string): void {
  const was = bodyOf(before, comparison.before);
  const is = bodyOf(after, comparison.after);
  if (is?.['required'] === true && was?.['required'] !== true) comparison.report(where, 'is required, and was not');
  if (was === undefined) return;
  if (is === undefined) return comparison.report(where, 'is gone');
  const newer = is['content'] as Record<string, Json>;
  for (const [type, { schema, encoding }] of Object.entries(was['content'] as Record<string, Json>)) {
    const media = newer[type];
    if (media === undefined) {
      comparison.report(where, `${type} is not taken any more`);
      continue;
    }
    if (!comparison.isSame(encoding, media['encoding'])) comparison.report(where, 'has another `encoding`');
    new SchemaComparison(comparison, 'sent').compare(schema as Schema, media['schema'] as Schema, where);
  }
}

function bodyOf(operation: Operation, document: Json): Json | undefined {
  const { requestBody } = operation;
  return requestBody === undefined ? undefined : resolve(requestBody, document);
}
