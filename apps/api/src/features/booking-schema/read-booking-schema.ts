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
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { stringify } from 'safe-stable-stringify';
import type { BookingSchema, JsonSchema } from '../../bookings/booking-schema.js';
import { movedTo, segmentsOf } from './json-schema.js';

/** The members of the contract that a create may send, each as the schema that allows everything. */
const contractMembers = Object.fromEntries(Object.keys(createBookingSchema.out.shape).map((name) => [name, true]));

/**
 * Reads the schema of a deployment. It speaks of the deployer's own members, and may require or narrow `slot`. Where
 * it does not name `slot`, it lets payloads have one, so that `additionalProperties: false` does not forbid slots.
 *
 * @param file the path of a JSON Schema 2020-12 with one payload in `examples` at least
 * @throws Error in one line: no such file, no such schema, or an example that breaks it
 */
export async function readBookingSchema(file: string): Promise<BookingSchema> {
  try {
    return toBookingSchema(JSON.parse(await readFile(file, 'utf8')) as JsonSchema);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`BOOKING_SCHEMA_FILE (${file}): ${message.replaceAll(/\s+/g, ' ')}`, { cause: error });
  }
}

/** The same, of a schema that is read already. */
export function toBookingSchema(schema: JsonSchema): BookingSchema {
  if (schema?.['type'] !== 'object') throw new Error('the schema has to say `"type": "object"`, as a payload is one.');
  const json = { ...schema, properties: { ...contractMembers, ...(schema['properties'] as JsonSchema | undefined) } };
  const schemaAt = (place: string): JsonSchema => movedTo(place, json);
  const check = compile(schemaAt('#'));
  const errorsOf = (payload: CreateBookingDto): FieldErrorDto[] =>
    check(payload) ? [] : check.errors!.slice(0, 1).map(toFieldError);
  return { examples: readExamples(schema, errorsOf), errorsOf, schemaAt };
}

function readExamples({ examples }: JsonSchema, errorsOf: BookingSchema['errorsOf']): CreateBookingDto[] {
  if (!Array.isArray(examples) || examples.length === 0) {
    throw new Error('`examples` has to be a list with one payload at least.');
  }
  for (const [index, example] of examples.entries()) {
    const validated = validate(createBookingSchema, example);
    const [fault] = 'errors' in validated ? validated.errors : errorsOf(validated.value);
    if (fault !== undefined) throw new Error(`example ${index} breaks it: ${fault.pointer} ${fault.detail}.`);
  }
  return examples as CreateBookingDto[];
}

function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({
    // Every object inherits a `constructor`, which must not meet `required`.
    ownProperties: true,
    allowUnionTypes: true,
    // 4.35 is a multiple of 0.01, although its quotient is not whole in binary.
    multipleOfPrecision: 8,
    // It writes notes, and the whole function that it could not compile.
    logger: false,
    // `slot` is in `properties` in any case.
    allowMatchingProperties: true,
    // The optimizer takes seconds for hundreds of alternatives.
    code: { optimize: false, regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
  });
  ajvFormats.default(ajv, { keywords: true });
  // The only format that is not checked in linear time.
  delete ajv.formats['url'];
  // Ajv's own compares every item with every other one. Items are equal where their canonical texts are: the order of
  // members does not count (JSON Schema, core, §4.2.2).
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
 * A pattern of JSON Schema, which is one of ECMAScript with the flag `u`, matched in time linear in the length of the
 * text: unlike JavaScript's engine, RE2 does not backtrack. Its `\s`, `\d` and `\w` are those of ASCII.
 *
 * @throws Error in one line for a pattern that is not ECMAScript's, and for what cannot be matched in linear time
 */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  try {
    void new RegExp(pattern, 'u');
    const matcher = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Ajv distinguishes patterns by their texts.
    return { test: (text) => matcher.test(text), toString: () => pattern };
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the pattern ${JSON.stringify(pattern)} cannot be used: ${message}`, { cause });
  }
}

/** An error of Ajv as a problem lists it: at the member that has the fault, or that is missing. */
function toFieldError({ instancePath, params, propertyName, message }: ErrorObject): FieldErrorDto {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const tooMany = additionalProperty ?? unevaluatedProperty;
  const member = missingProperty ?? tooMany ?? propertyName;
  const detail = missingProperty ? 'is required' : tooMany ? 'is not a member that is known here' : message!;
  const path = segmentsOf(instancePath);
  if (member !== undefined) path.push(member);
  // It may quote a long pattern, and the cut may go through a surrogate pair.
  return fieldErrorAt(path, toWellFormed(detail.slice(0, MAX_DETAIL_LENGTH)));
}
