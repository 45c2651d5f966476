import {
  createBookingSchema,
  type CreateBookingDto,
  type FaultDto,
  MAX_PAYLOAD_BYTES,
  slotExample,
  validate,
} from '@booking-service/contracts';
import { createGeneratorSync, type JsonSchema as FakerSchema } from 'json-schema-faker';
import { inTime, readText } from '../files/text-file.js';
import type { BookingSchema } from './booking-schema.js';
import {
  foreignReferences,
  type JsonSchema,
  membersNamedBy,
  recursiveReference,
  schemasOfMember,
} from './json-schema.js';
import { checkSchema, compileSchema, type FaultsOf } from './schema-compiler.js';

/** The members of the contract that a create may send, each as the schema that allows everything. */
const contractMembers = Object.fromEntries(Object.keys(createBookingSchema.out.shape).map((name) => [name, true]));

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
export async function readBookingSchema(file: string): Promise<BookingSchema> {
  try {
    return toBookingSchema(JSON.parse(await inTime(readText(file))) as JsonSchema);
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
  checkSchema(schema);
  rejectReservedMembers(schema);
  const json = { ...schema, properties: { ...contractMembers, ...(schema['properties'] as JsonSchema | undefined) } };
  const faultsOf = compileSchema(json);
  const examples = readExamples(schema, faultsOf);
  const found = knownCreate(json, examples, faultsOf);
  return { json, examples: examples.length > 0 ? examples : [found], faultsOf };
}

function rejectReferences(schema: JsonSchema): void {
  const [foreign] = foreignReferences(schema);
  if (foreign !== undefined) {
    throw new Error(
      `\`${foreign}\` is not within the file: a reference is a \`$ref\` that begins with \`#/\`, and no part has an \`$id\`.`,
    );
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
    if (!Object.hasOwn(contractMembers, name) && 'faults' in validate(createBookingSchema, { [name]: true })) {
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

/** Payloads that are generated for a schema, the same ones at every start. */
const ATTEMPTS = 10;
const SEED = 1;

/** Why a payload is rejected: by the interface, or by the schema; nothing where it is not. */
function faultsOfCreate(payload: unknown, faultsOf: FaultsOf): FaultDto[] {
  const length = Buffer.byteLength(JSON.stringify(payload));
  if (length > MAX_PAYLOAD_BYTES) return [{ pointer: '#', detail: `has more than ${MAX_PAYLOAD_BYTES} bytes` }];
  const validated = validate(createBookingSchema, payload);
  if ('faults' in validated) return validated.faults;
  return faultsOf(payload as CreateBookingDto);
}

/**
 * A create with a slot that a schema accepts: one of its examples, or a generated one. Whether a schema accepts any
 * cannot be decided for every schema, so a schema for which none is found has to show one.
 *
 * @throws Error where none is found
 */
function knownCreate(schema: JsonSchema, examples: readonly CreateBookingDto[], faultsOf: FaultsOf): CreateBookingDto {
  for (const create of attempts(schema, examples)) {
    if (create.slot !== undefined && faultsOfCreate(create, faultsOf).length === 0) return create;
  }
  const [{ pointer, detail } = { pointer: '#', detail: '' }] = faultsOfCreate({ slot: slotExample }, faultsOf);
  throw new Error(
    `no create with a \`slot\` was found that keeps to it; of one with nothing else, ${pointer} ${detail}. ` +
      'If there is one, show it in `examples`.',
  );
}

function* attempts(schema: JsonSchema, examples: readonly CreateBookingDto[]): Generator<CreateBookingDto> {
  yield* examples;
  for (const payload of [{}, ...examples]) yield { ...payload, slot: slotExample };
  for (const payload of madeUp(schema)) {
    yield payload;
    yield { ...payload, slot: slotExample };
    yield { ...payload, slot: { ...slotExample, resource_id: payload.slot?.resource_id ?? '' } };
  }
}

function* madeUp(schema: JsonSchema): Generator<CreateBookingDto> {
  const { properties, required } = schema as { properties: Record<string, FakerSchema>; required?: string[] };
  const slot = { allOf: [{ type: 'object', required: Object.keys(slotExample) }, properties['slot'] ?? true] };
  const withSlot = { ...schema, properties: { ...properties, slot }, required: [...(required ?? []), 'slot'] };
  for (const alwaysFakeOptionals of [false, true]) {
    const generator = createGeneratorSync({ seed: SEED, alwaysFakeOptionals });
    for (let attempt = 0; attempt < ATTEMPTS / 2; attempt++) {
      try {
        const payload = generator.generate(withSlot) as CreateBookingDto | null;
        if (typeof payload === 'object' && payload !== null) yield payload;
      } catch {
        // It cannot follow the schema, which is then to show an example.
        break;
      }
    }
  }
}
