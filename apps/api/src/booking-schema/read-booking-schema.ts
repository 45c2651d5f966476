import { readFileSync } from 'node:fs';
import { createBookingSchema, type CreateBookingDto, slotExample, validate } from '@booking-service/contracts';
import { type ValidateFunction, Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { BookingSchema, JsonSchema } from './booking-schema.js';
import { toFaults } from './schema-faults.js';
import { foreignReferences, membersNamedBy } from './schema-members.js';

export class InvalidBookingSchema extends Error {
  override readonly name = 'InvalidBookingSchema';
}

/**
 * Reads the schema of a deployment. It is written for the deployer's own members; `slot` is added to it,
 * so that `additionalProperties: false` does not forbid slots.
 *
 * @param file the path of a JSON Schema 2020-12
 * @throws InvalidBookingSchema in one line: no such file, no such schema, or one that no create could keep to
 */
export function readBookingSchema(file: string): BookingSchema {
  try {
    return toBookingSchema(JSON.parse(readFileSync(file, 'utf8')) as JsonSchema);
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidBookingSchema(`BOOKING_SCHEMA_FILE (${file}): ${message.replaceAll(/\s+/g, ' ')}`);
  }
}

/** The same, of a schema that is read already. */
export function toBookingSchema(schema: JsonSchema): BookingSchema {
  if (schema?.['type'] !== 'object') throw new Error('the schema has to say `"type": "object"`, as a payload is one.');
  const foreign = foreignReferences(schema);
  if (foreign.length > 0) throw new Error(`\`${foreign[0]}\` is not within the file: references begin with \`#/\`.`);
  // As it was written, for its own mistakes; below with the slot.
  compile(schema);
  refuseReservedMembers(schema);
  const json = { ...schema, properties: { slot: true, ...(schema['properties'] as JsonSchema | undefined) } };
  const matches = compile(json);
  refuseSlotless(matches);
  const examples = readExamples(schema, matches);
  return { json, examples, faultsOf: (payload) => (matches(payload) ? [] : toFaults(matches.errors ?? [])) };
}

function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({
    strict: true,
    // A `required` beside no `properties` is how conditions are written.
    strictRequired: false,
    allErrors: true,
    // Else `required: ["constructor"]` is met by every object.
    ownProperties: true,
  });
  ajvFormats.default(ajv);
  return ajv.compile(schema);
}

/** No create may have what the interface keeps for itself, or takes for a slip of the pen (`payload-rules.ts` of the contracts). */
function refuseReservedMembers(schema: JsonSchema): void {
  for (const name of membersNamedBy(schema)) {
    if ('faults' in validate(createBookingSchema, { [name]: true })) {
      throw new Error(
        `the member \`${name}\` is reserved: the interface settles \`booking_id\`, \`created_at\` and \`slot\`.`,
      );
    }
  }
}

/** A schema can forbid slots without naming them, as with `additionalProperties: false` within an `allOf`. */
function refuseSlotless(matches: ValidateFunction): void {
  if (matches({ slot: slotExample })) return;
  const fault = matches.errors?.find(
    ({ instancePath, params, propertyName }) =>
      instancePath.startsWith('/slot') || propertyName === 'slot' || Object.values(params as object).includes('slot'),
  );
  if (fault === undefined) return;
  throw new Error(`it does not let a payload have a \`slot\`: ${fault.message} (${fault.schemaPath}).`);
}

function readExamples({ examples = [] }: JsonSchema, matches: ValidateFunction): CreateBookingDto[] {
  if (!Array.isArray(examples)) throw new Error('`examples` is not a list.');
  return examples.map((example: unknown, index) => {
    const validated = validate(createBookingSchema, example);
    const faults = 'faults' in validated ? validated.faults : matches(example) ? [] : toFaults(matches.errors ?? []);
    if (faults.length > 0) throw new Error(`example ${index} breaks it: ${faults[0]!.pointer} ${faults[0]!.detail}.`);
    return example as CreateBookingDto;
  });
}
