import { type CreateBookingDto, type FaultDto, MAX_FAULTS, toPointer } from '@booking-service/contracts';
import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { stringify } from 'safe-stable-stringify';
import { type JsonSchema, segmentsOf } from './json-schema.js';
import { linearPattern } from './linear-pattern.js';

/** Characters that the contract gives to the detail of a fault. */
const MAX_DETAIL_LENGTH = 1_000;

/** The formats of JSON Schema (2020-12, validation, §7.3) and OpenAPI that are checked in linear time; `url` is not. */
const FORMATS = [
  ...(['date', 'time', 'date-time', 'iso-time', 'iso-date-time', 'duration'] as const),
  ...(['uri', 'uri-reference', 'uri-template', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'regex'] as const),
  ...(['json-pointer', 'json-pointer-uri-fragment', 'relative-json-pointer'] as const),
  ...(['byte', 'int32', 'int64', 'float', 'double', 'password', 'binary'] as const),
];

/** @returns at most 20 faults */
export type FaultsOf = (payload: CreateBookingDto) => FaultDto[];

/**
 * Compiles a schema without recursion, so that a payload is checked in a time that grows with its length and never
 * faster, whatever the schema asks: no bound of the schema need stop a check for that.
 *
 * @throws Error when it is no schema of JSON Schema 2020-12, or has a pattern that `linearPattern` does not take
 */
export function compileSchema(schema: JsonSchema): FaultsOf {
  const ajv = new Ajv2020({
    strict: true,
    // A `required` beside no `properties` is how conditions are written.
    strictRequired: false,
    allErrors: true,
    // Else `required: ["constructor"]` is met by every object.
    ownProperties: true,
    code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
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
  const matches = ajv.compile(schema);
  return (payload) => (matches(payload) ? [] : (matches.errors ?? []).slice(0, MAX_FAULTS).map(toFault));
}

/** Items are equal where their canonical texts are: the order of members does not count (JSON Schema, core, §4.2.2). */
function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => stringify(item))).size === items.length;
}

/** An error of Ajv as a problem lists it: at the member that has the fault, or that is missing. */
function toFault(error: ErrorObject): FaultDto {
  const { member, detail } = memberAtFault(error);
  const path = segmentsOf(error.instancePath);
  return {
    pointer: toPointer(member === undefined ? path : [...path, member]),
    detail: detail.slice(0, MAX_DETAIL_LENGTH),
  };
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
