import { type CreateBookingDto, faultAt, type FaultDto, MAX_FAULTS, toWellFormed } from '@booking-service/contracts';
import { type ErrorObject, type Options, type ValidateFunction, Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { stringify } from 'safe-stable-stringify';
import { inlined, type JsonSchema, segmentsOf, sizeOf } from './json-schema.js';
import { schemaFault } from './schema-faults.js';

/** Characters of the detail of a fault: half of what the contract allows, so that 20 of any script fit into 64 KiB. */
const MAX_DETAIL_LENGTH = 500;

/** The formats of JSON Schema (2020-12, validation, §7.3) and OpenAPI that are checked in linear time; `url` is not. */
const FORMATS = [
  ...(['date', 'time', 'date-time', 'iso-time', 'iso-date-time', 'duration'] as const),
  ...(['uri', 'uri-reference', 'uri-template', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'regex'] as const),
  ...(['json-pointer', 'json-pointer-uri-fragment', 'relative-json-pointer'] as const),
  ...(['byte', 'int32', 'int64', 'float', 'double', 'password', 'binary'] as const),
];

/**
 * Values of a payload times the size of the schema, up to which all faults of a payload are listed, and its first one.
 * Ajv makes an error for each value in each alternative, millions for a payload of 64 KiB.
 */
const MAX_WORK = { all: 200_000, first: 4_000_000 };

const NOT_SEARCHED: FaultDto = {
  pointer: '#',
  detail: 'breaks the schema of this service, `CreateBooking` in /openapi.json, and is too large to say where',
};

/** The size of a schema, up to which its references are inlined. */
const MAX_INLINED = 10_000;

/** @returns at most 20 faults: all of them for a payload of ordinary size, one for a large one */
export type FaultsOf = (payload: CreateBookingDto) => FaultDto[];

/**
 * Compiles a schema without recursion, so that a payload is checked in a time that grows with its length and never
 * faster, whatever the schema asks: no bound of the schema need stop a check for that.
 *
 * @throws Error when it is no schema of JSON Schema 2020-12, or has a pattern that `linearPattern` does not take
 */
export function compileSchema(schema: JsonSchema): FaultsOf {
  const size = sizeOf(schema);
  const all = compile(schema, { allErrors: true });
  const first = compile(schema);
  const matches = size > MAX_INLINED ? first : matcherOf(schema);
  return (payload) => {
    if (matches(payload)) return [];
    const work = countValues(payload) * size;
    if (work > MAX_WORK.first) return [NOT_SEARCHED];
    const check = work > MAX_WORK.all ? first : all;
    check(payload);
    return (check.errors ?? []).slice(0, MAX_FAULTS).map(toFault);
  };
}

/** Ajv makes no errors of what is within `not`, except behind references. */
function matcherOf(schema: JsonSchema): (payload: unknown) => boolean {
  const isBroken = compile({ not: inlined(schema) }, { code: { optimize: true } });
  return (payload) => !isBroken(payload);
}

/** The values in a value, itself included. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((count: number, member) => count + countValues(member), 1);
}

/** @throws Error when it is no schema of JSON Schema 2020-12, or has a pattern that `linearPattern` does not take */
export function checkSchema(schema: JsonSchema): void {
  try {
    compile(schema, { strict: true, meta: true, validateSchema: true });
  } catch (cause) {
    throw new Error(`${schemaFault((cause as Error).message)}.`, { cause });
  }
}

function compile(schema: JsonSchema, { code, ...options }: Options = {}): ValidateFunction {
  const ajv = new Ajv2020({
    // Checked once, by `checkSchema`.
    strict: false,
    meta: false,
    validateSchema: false,
    // A `required` beside no `properties` is how conditions are written.
    strictRequired: false,
    // Else `required: ["constructor"]` is met by every object.
    ownProperties: true,
    ...options,
    // The optimizer takes seconds for hundreds of alternatives.
    code: { optimize: false, ...code, regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
  });
  ajvFormats.default(ajv, { formats: FORMATS, keywords: true });
  // That of Ajv compares every item with every other one.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isAsked: boolean, items: unknown[]) => !isAsked || areUnique(items),
    error: { message: 'must not have two items that are equal' },
  });
  return ajv.compile(schema);
}

/** Items are equal where their canonical texts are: the order of members does not count (JSON Schema, core, §4.2.2). */
function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => stringify(item))).size === items.length;
}

/** An error of Ajv as a problem lists it: at the member that has the fault, or that is missing. */
function toFault(error: ErrorObject): FaultDto {
  const { member, detail } = memberAtFault(error);
  const path = segmentsOf(error.instancePath);
  // The cut may go through a surrogate pair.
  return faultAt(member === undefined ? path : [...path, member], toWellFormed(detail.slice(0, MAX_DETAIL_LENGTH)));
}

/** Ajv names the object where a member is missing or too many; the contract names the member. */
function memberAtFault({ params, propertyName, message = 'breaks the schema' }: ErrorObject): {
  member?: string | undefined;
  detail: string;
} {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  if (missingProperty !== undefined) return { member: missingProperty, detail: 'is required' };
  const tooMany = additionalProperty ?? unevaluatedProperty;
  if (tooMany !== undefined) return { member: tooMany, detail: 'is not a member that is known here' };
  return { member: propertyName, detail: message };
}

/** What `\s` matches in ECMAScript (ECMA-262, CharacterClassEscape), and what it does not. RE2 knows ASCII alone. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACE =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/** The parts of a pattern that ECMAScript and RE2 read in different ways, and those that begin and end a class. */
const PARTS = /\\u(?<high>d[89ab]..)\\u(?<low>d[c-f]..)|\\(?<escaped>.)|(?<plain>[[\].])/gisu;

/**
 * A pattern of JSON Schema, which is one of ECMAScript with the flag `u`, matched in time linear in the
 * length of the text: unlike JavaScript's engine, RE2 does not backtrack.
 *
 * @throws Error in one line for what cannot be matched in linear time (lookarounds, references to groups), for repetitions of
 *   more than 1,000 and for names of properties that RE2 does not have (`\p{Letter}` is `\p{L}` there)
 */
export function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const matcher = compilePattern(pattern);
  // Ajv distinguishes patterns by their texts.
  return { test: (text) => matcher.test(text), toString: () => pattern };
}

function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(toRe2(pattern)));
  } catch (error) {
    throw new Error(
      `the pattern ${JSON.stringify(pattern)} cannot be matched in linear time: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

function toRe2(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(PARTS, (part, ...rest) => {
    const { high, low, escaped, plain } = rest.at(-1) as Record<string, string | undefined>;
    if (high !== undefined && low !== undefined) {
      const pair = String.fromCharCode(parseInt(high, 16), parseInt(low, 16));
      return `\\x{${pair.codePointAt(0)!.toString(16)}}`;
    }
    if (escaped === 'k') throw new Error('it refers to a group');
    if (escaped === 's') return isInClass ? SPACE : `[${SPACE}]`;
    if (escaped === 'S') return isInClass ? NO_SPACE : `[${NO_SPACE}]`;
    if (plain === '[') isInClass = true;
    if (plain === ']') isInClass = false;
    return plain === '.' && !isInClass ? NO_LINE_END : part;
  });
}
