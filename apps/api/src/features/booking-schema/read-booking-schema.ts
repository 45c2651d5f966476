import { readFile } from 'node:fs/promises';
import {
  createBookingSchema,
  type CreateBookingDto,
  fieldErrorAt,
  type FieldErrorDto,
  MAX_DETAIL_LENGTH,
  toWellFormed,
  validate,
} from '@booking-service/contracts';
import ajvFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { stringify } from 'safe-stable-stringify';
import type { BookingSchema, JsonSchema } from '../../bookings/booking-schema.js';
import { movedTo, segmentsOf } from './json-schema.js';

/** The members of a create that the contract defines, each with a schema that allows anything. */
const contractMembers = Object.fromEntries(Object.keys(createBookingSchema.out.shape).map((name) => [name, true]));

/**
 * Reads the schema of a deployment, which describes the deployer's own members, and may require or narrow `slot`.
 * Slots are allowed even with `additionalProperties: false`.
 *
 * @param file path of a JSON Schema 2020-12 with at least one payload in `examples`
 * @throws Error with a one-line message for a missing file, an invalid schema or an invalid example
 */
export async function readBookingSchema(file: string): Promise<BookingSchema> {
  try {
    return toBookingSchema(JSON.parse(await readFile(file, 'utf8')) as JsonSchema);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`BOOKING_SCHEMA_FILE (${file}): ${message.replaceAll(/\s+/g, ' ')}`, { cause: error });
  }
}

/** @throws Error for an invalid schema or an invalid example */
export function toBookingSchema(schema: JsonSchema): BookingSchema {
  if (schema?.['type'] !== 'object') throw new Error('the schema must have `"type": "object"`.');
  const json = { ...schema, properties: { ...contractMembers, ...(schema['properties'] as JsonSchema | undefined) } };
  const schemaAt = (place: string): JsonSchema => movedTo(place, json);
  const check = compile(schemaAt('#'));
  const errorsOf = (payload: CreateBookingDto): FieldErrorDto[] =>
    check(payload) ? [] : check.errors!.slice(0, 1).map(toFieldError);
  return { examples: readExamples(schema, errorsOf), errorsOf, schemaAt };
}

function readExamples({ examples }: JsonSchema, errorsOf: BookingSchema['errorsOf']): CreateBookingDto[] {
  if (!Array.isArray(examples) || examples.length === 0) {
    throw new Error('`examples` must list at least one payload.');
  }
  for (const [index, example] of examples.entries()) {
    const validated = validate(createBookingSchema, example);
    const [fault] = 'errors' in validated ? validated.errors : errorsOf(validated.value);
    if (fault !== undefined) throw new Error(`example ${index} is invalid: ${fault.pointer} ${fault.detail}.`);
  }
  return examples as CreateBookingDto[];
}

function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({
    // `required: ["constructor"]` must not be satisfied by every object.
    ownProperties: true,
    allowUnionTypes: true,
    // 4.35 is a multiple of 0.01, although the binary quotient is not whole.
    multipleOfPrecision: 8,
    // Otherwise Ajv would print each function that it cannot compile.
    logger: false,
    // `slot`, which is always in `properties`, may match a pattern of `patternProperties` too.
    allowMatchingProperties: true,
    // The optimizer takes seconds for a schema with hundreds of alternatives.
    code: { optimize: false, regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
  });
  ajvFormats.default(ajv, { keywords: true });
  // The only format that is not checked in linear time.
  delete ajv.formats['url'];
  // Ajv's own `uniqueItems` may compare every pair. The order of members does not matter (JSON Schema Core §4.2.2), so
  // equal items have equal canonical texts.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isAsked: boolean, items: unknown[]) =>
      !isAsked || new Set(items.map((item) => stringify(item))).size === items.length,
    error: { message: 'must not have two items that are equal' },
  });
  return ajv.compile(schema);
}

/**
 * Compiles a pattern (ECMAScript, flag `u`) with RE2, which matches in time linear in the length of the text.
 * `\s`, `\d` and `\w` match ASCII only.
 *
 * @throws Error for an invalid pattern, or one that RE2 cannot compile
 */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  try {
    void new RegExp(pattern, 'u');
    const matcher = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Ajv tells patterns apart by their text.
    return { test: (text) => matcher.test(text), toString: () => pattern };
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the pattern ${JSON.stringify(pattern)} cannot be used: ${message}`, { cause });
  }
}

/** Converts an error of Ajv; the pointer leads to the faulty or missing member. */
function toFieldError(error: ErrorObject): FieldErrorDto {
  const { member, detail } = faultOf(error);
  const path = segmentsOf(error.instancePath);
  if (member !== undefined) path.push(member);
  // The message may quote a long pattern, and the cut may split a surrogate pair.
  return fieldErrorAt(path, toWellFormed(detail.slice(0, MAX_DETAIL_LENGTH)));
}

/** @returns `member`: the faulty or missing member of the object that the error is about */
function faultOf({ params, propertyName, message }: ErrorObject): { member: string | undefined; detail: string } {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  if (missingProperty !== undefined) return { member: missingProperty, detail: 'is required' };
  const unknown = additionalProperty ?? unevaluatedProperty;
  if (unknown !== undefined) return { member: unknown, detail: 'is not a known member' };
  return { member: propertyName, detail: message! };
}
