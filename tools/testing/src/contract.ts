import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  operations,
  problemContract,
  problemTypes,
  problemType,
  type OperationId,
  type ProblemName,
} from '@booking-service/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface ReceivedResponse {
  readonly method: string;
  /** The path, with the query. */
  readonly target: string;
  readonly status: number;
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

interface DocumentedResponse {
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: object }>;
}

type Responses = Record<string, DocumentedResponse>;

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, DocumentedResponse | { $ref: string }> }>>;
  components: { schemas: Record<string, object>; responses: Responses; headers: Record<string, { schema: object }> };
}

// The document is kept up to date by `apps/api/test/e2e/pages.spec.ts`.
const document = JSON.parse(
  readFileSync(new URL('../../../packages/contracts/openapi.json', import.meta.url), 'utf8'),
) as Document;
const { components } = document;

// Instants in responses have a single format. The document, which also describes requests, is less strict.
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, int32: true },
});
const validators = new Map<object, ValidateFunction>();

/** Headers of HTTP and CORS, which the document does not list. */
const HTTP_HEADERS = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'vary',
]);

const BROWSER_HEADERS = new Set([
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
]);

const PROBLEM_MEMBERS = new Set(['type', 'title', 'status', 'detail', 'instance', 'errors', 'conflicting_slot']);

/** Problems of requests whose head may be incomplete. */
const UNREAD_PROBLEMS = new Set<ProblemName>(['request-timeout', 'headers-too-large']);

/** Headers that a response must have if its operation documents them. */
const REQUIRED_HEADERS = ['etag', 'location', 'retry-after', 'www-authenticate', 'x-request-id'];

/** Validates a response against the OpenAPI document. Any error must be a problem (RFC 9457), but never `internal`. */
export function expectContract(response: ReceivedResponse): void {
  const about = `${response.method} ${response.target.slice(0, 200)} -> ${response.status} ${response.text.slice(0, 500)}`;
  try {
    expect(response.status).toBeLessThan(600);
    expect(response.status).not.toBe(500);
    expect(response.headers['x-request-id']).toMatch(/^[!-~]{1,128}$/);
    if (response.method === 'HEAD' || [204, 304].includes(response.status)) expect(response.text).toBe('');
    else if (response.status >= 400) expectProblem(response);
    const id = operationOf(response);
    if (id !== undefined && ![405, 408, 417, 431].includes(response.status) && !isRouteNotFound(response))
      expectDocumented(id, response);
  } catch (error) {
    (error as Error).message += `\n\nin ${about}`;
    throw error;
  }
}

function expectProblem({ status, headers, target, text }: ReceivedResponse): void {
  expect(headers['content-type']).toBe('application/problem+json');
  const problem = JSON.parse(text) as Record<string, unknown>;
  expectValid(components.schemas['Problem']!, problem);
  const name = String(problem['type']).slice(problemType('' as ProblemName).length) as ProblemName;
  const { status: expected, title } = problemTypes[name];
  expect([status, problem['status'], problem['title']]).toEqual([expected, expected, title]);
  // The path is unknown without a complete head.
  const instance = target.split('?', 1)[0];
  expect(UNREAD_PROBLEMS.has(name) ? ['', instance] : [instance]).toContain(problem['instance']);
  const { members = [] } = problemContract(name);
  expect('conflicting_slot' in problem).toBe(members.includes('conflicting_slot'));
  expect(Object.keys(problem).filter((member) => !PROBLEM_MEMBERS.has(member))).toEqual([]);
}

function expectDocumented(id: OperationId, { status, headers, text }: ReceivedResponse): void {
  const { path, method } = operations[id];
  const { responses } = document.paths[path]![method.toLowerCase()]!;
  expect(Object.keys(responses)).toContain(String(status));
  const described = responses[status]!;
  const response = '$ref' in described ? components.responses[basename(described.$ref)]! : described;
  expectHeaders(response, headers);
  if (response.content === undefined) {
    expect(text).toBe('');
    return;
  }
  expect(Object.keys(response.content)).toContain(headers['content-type']);
  expectValid(response.content[headers['content-type']!]!.schema, JSON.parse(text));
}

function expectHeaders(response: DocumentedResponse, sent: ReceivedResponse['headers']): void {
  const documented = Object.keys(response.headers ?? {});
  const names = new Set(documented.map((name) => name.toLowerCase()));
  const known = new Set([...names, ...HTTP_HEADERS, ...BROWSER_HEADERS]);
  expect(Object.keys(sent).filter((name) => !known.has(name))).toEqual([]);
  expect(REQUIRED_HEADERS.filter((name) => names.has(name) && sent[name] === undefined)).toEqual([]);
  for (const name of documented) {
    const value = sent[name.toLowerCase()];
    if (value !== undefined) expectValid(components.headers[name]!.schema, value);
  }
}

function expectValid(schema: object, value: unknown): void {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = ajv.compile({ ...schema, components });
    validators.set(schema, validate);
  }
  // Jest's matchers cost more than the validation, which most responses pass several times.
  if (!validate(value)) expect(validate.errors).toEqual([]);
}

function operationOf({ method, target }: ReceivedResponse): OperationId | undefined {
  const path = target.split('?', 1)[0]!.replace(/(?<=^\/v1\/bookings\/)[^/]+$/, '{booking_id}');
  const ids = Object.keys(operations) as OperationId[];
  return ids.find((id) => operations[id].method === method && operations[id].path === path);
}

function isRouteNotFound({ status, text }: ReceivedResponse): boolean {
  return status === 404 && text.includes(problemType('route-not-found'));
}
