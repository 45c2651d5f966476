import { readFileSync } from 'node:fs';
import { createBookingSchema, type CreateBookingDto, slotExample, validate } from '@booking-service/contracts';
import type { BookingSchema } from './booking-schema.js';
import {
  foreignReferences,
  type JsonSchema,
  membersNamedBy,
  recursiveReference,
  schemasOfMember,
} from './json-schema.js';
import { faultsOfCreate, knownCreate } from './known-create.js';
import { compileSchema, type FaultsOf } from './schema-compiler.js';

export class InvalidBookingSchema extends Error {
  override readonly name = 'InvalidBookingSchema';
}

/**
 * Reads the schema of a deployment. It speaks of the deployer's own members, and may require or narrow `slot`. Where
 * it does not name `slot`, it lets payloads have one, so that `additionalProperties: false` does not forbid slots.
 *
 * @param file the path of a JSON Schema 2020-12
 * @throws InvalidBookingSchema in one line: no such file, no such schema, or one that no create is known to keep to
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
  rejectReferences(schema);
  // As it was written, for its own mistakes; below with the slot.
  compileSchema(schema);
  rejectReservedMembers(schema);
  const json = { ...schema, properties: { slot: true, ...(schema['properties'] as JsonSchema | undefined) } };
  const faultsOf = compileSchema(json);
  const examples = readExamples(schema, faultsOf);
  const found = knownCreate(json, examples, faultsOf);
  return { json, examples: examples.length > 0 ? examples : [found], faultsOf };
}

function rejectReferences(schema: JsonSchema): void {
  const [foreign] = foreignReferences(schema);
  if (foreign !== undefined) {
    throw new Error(`\`${foreign}\` is not within the file: references begin with \`#/\`, and no part has an \`$id\`.`);
  }
  const recursive = recursiveReference(schema);
  if (recursive !== undefined) {
    // Alternatives that are tried at each of 32 levels are tried 2^32 times.
    throw new Error(`\`${recursive}\` is part of itself: a payload of few bytes could keep the service for hours.`);
  }
}

/** What the interface keeps for itself no create may have, and its slot has three members (`docs/interface.md`). */
function rejectReservedMembers(schema: JsonSchema): void {
  for (const name of membersNamedBy(schema, schema)) {
    if (name !== 'slot' && 'faults' in validate(createBookingSchema, { [name]: true })) {
      throw new Error(`the member \`${name}\` is reserved: no create can have it.`);
    }
  }
  for (const slot of schemasOfMember(schema, 'slot')) {
    for (const name of membersNamedBy(schema, slot)) {
      if (!Object.hasOwn(slotExample, name)) throw new Error(`a \`slot\` has no member \`${name}\`.`);
    }
  }
}

function readExamples({ examples = [] }: JsonSchema, faultsOf: FaultsOf): CreateBookingDto[] {
  if (!Array.isArray(examples)) throw new Error('`examples` is not a list.');
  return examples.map((example: unknown, index) => {
    const [fault] = faultsOfCreate(example, faultsOf);
    if (fault !== undefined) throw new Error(`example ${index} breaks it: ${fault.pointer} ${fault.detail}.`);
    return example as CreateBookingDto;
  });
}
