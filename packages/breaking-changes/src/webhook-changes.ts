import { type Comparison, type Schema, show } from './comparison.js';
import { methodsOf, type Operation } from './operations.js';
import { type Json, resolve } from './references.js';
import { byName } from './request-changes.js';
import { SchemaComparison } from './schema-changes.js';

/**
 * Reports what breaks receivers of webhooks. What the service sends them is judged as its responses are; what they
 * respond with must still mean something.
 */
export function compareWebhooks(comparison: Comparison): void {
  const is = webhooksOf(comparison.after);
  for (const [name, before] of webhooksOf(comparison.before)) {
    const after = is.get(name);
    if (after === undefined) comparison.report(name, 'is gone');
    else compareWebhook(comparison, before, after, name);
  }
}

/** By name and method, as messages have them. */
function webhooksOf(document: Json): Map<string, Operation> {
  const items = Object.entries((document['webhooks'] ?? {}) as Json);
  return new Map(
    items.flatMap(([name, item]) =>
      methodsOf(item, '', document).map(({ method, operation }) => [`webhook ${method} ${name}`, operation] as const),
    ),
  );
}

function compareWebhook(comparison: Comparison, before: Operation, after: Operation, name: string): void {
  for (const member of ['operationId', 'security', 'callbacks']) {
    if (comparison.isSame(before[member], after[member])) continue;
    comparison.report(name, `\`${member}\` was ${show(before[member])} and is ${show(after[member])}`);
  }
  compareHeaders(comparison, before, after, name);
  compareContents(comparison, before, after, `${name}, body`);
  compareStatuses(comparison, before, after, name);
}

const received = (comparison: Comparison) => new SchemaComparison(comparison, 'received', 'in webhooks');

function compareHeaders(comparison: Comparison, before: Operation, after: Operation, name: string): void {
  const is = byName(after);
  for (const [key, was] of byName(before)) {
    const where = `${name}, ${key}`;
    const newer = is.get(key);
    if (newer === undefined) {
      comparison.report(where, 'is gone');
      continue;
    }
    if (was['required'] === true && newer['required'] !== true)
      comparison.report(where, 'may be missing, and was always there');
    for (const member of ['style', 'explode', 'content']) {
      if (comparison.isSame(was[member], newer[member])) continue;
      comparison.report(where, `is written in another way (\`${member}\`)`);
    }
    received(comparison).compare(was['schema'] as Schema, newer['schema'] as Schema, where);
  }
}

function compareContents(comparison: Comparison, before: Operation, after: Operation, where: string): void {
  const [was, is] = [contentsOf(before, comparison.before), contentsOf(after, comparison.after)];
  for (const [type, { schema }] of Object.entries(was)) {
    const media = is[type];
    if (media === undefined) comparison.report(where, `is no longer sent as ${type}`);
    else received(comparison).compare(schema as Schema, media['schema'] as Schema, where);
  }
  for (const type of Object.keys(is)) {
    if (!(type in was)) comparison.report(where, `may be sent as ${type}, and was not`);
  }
}

function contentsOf({ requestBody }: Operation, document: Json): Record<string, Json> {
  return (requestBody === undefined ? {} : resolve(requestBody, document)['content']) as Record<string, Json>;
}

/** What else a status means than before, only its text says. */
function compareStatuses(comparison: Comparison, before: Operation, after: Operation, name: string): void {
  const [was, is] = [before['responses'] as Json, after['responses'] as Json];
  for (const [status, response] of Object.entries(was)) {
    if (!(status in is)) comparison.report(`${name}, ${status}`, 'is no response to it any more');
    else if (!comparison.isSame(response, is[status]))
      comparison.report(`${name}, ${status}`, 'has other headers or content, which this check cannot judge');
  }
}
