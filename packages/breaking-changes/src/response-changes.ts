import type { Comparison, Schema } from './comparison.js';
import type { Operation } from './operations.js';
import { type Json, resolve } from './references.js';
import { SchemaComparison } from './schema-changes.js';

/** Reports what consumers do not get any more, or did not expect: statuses, headers and bodies of responses. */
export function compareResponses(comparison: Comparison, before: Operation, after: Operation, name: string): void {
  const was = before['responses'] as Json;
  const is = after['responses'] as Json;
  for (const [status, response] of Object.entries(was)) {
    const where = `${name}, ${status}`;
    if (status in is) {
      compareResponse(comparison, resolve(response, comparison.before), resolve(is[status], comparison.after), where);
    } else comparison.report(where, 'is gone');
  }
  for (const status of Object.keys(is)) {
    const isError = /^[45]/.test(status) || status === 'default';
    if (!(status in was) && !isError) comparison.report(`${name}, ${status}`, 'is a new way to succeed');
  }
}

function compareResponse(comparison: Comparison, before: Json, after: Json, where: string): void {
  const headers = (after['headers'] ?? {}) as Json;
  for (const [name, header] of Object.entries((before['headers'] ?? {}) as Json)) {
    const key = Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase());
    if (key === undefined) {
      comparison.report(`${where}, header ${name}`, 'is gone');
      continue;
    }
    const was = resolve(header, comparison.before);
    const is = resolve(headers[key], comparison.after);
    compareHeader(comparison, was, is, `${where}, header ${name}`);
  }
  const contents = (after['content'] ?? {}) as Record<string, Json>;
  for (const [type, { schema }] of Object.entries((before['content'] ?? {}) as Record<string, Json>)) {
    const media = contents[type];
    const received = new SchemaComparison(comparison, 'received');
    if (media === undefined) comparison.report(where, `is no longer sent as ${type}`);
    else received.compare(schema as Schema, media['schema'] as Schema, `${where}, body`);
  }
}

function compareHeader(comparison: Comparison, before: Json, after: Json, where: string): void {
  if (before['required'] === true && after['required'] !== true) {
    comparison.report(where, 'may be missing, and was always there');
  }
  for (const member of ['style', 'explode', 'content']) {
    if (comparison.isSame(before[member], after[member])) continue;
    comparison.report(where, `is written in another way (\`${member}\`)`);
  }
  const received = new SchemaComparison(comparison, 'received');
  received.compare(before['schema'] as Schema, after['schema'] as Schema, where);
}
