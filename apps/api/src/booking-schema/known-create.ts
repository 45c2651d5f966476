import {
  createBookingSchema,
  type CreateBookingDto,
  type FaultDto,
  MAX_PAYLOAD_BYTES,
  slotExample,
  validate,
} from '@booking-service/contracts';
import { createGeneratorSync, type JsonSchema as FakerSchema } from 'json-schema-faker';
import type { JsonSchema } from './json-schema.js';
import type { FaultsOf } from './schema-compiler.js';

/** Payloads that are made up for a schema, the same ones at every start. */
const ATTEMPTS = 10;
const SEED = 1;

/** Why a payload is rejected: by the interface, or by the schema; nothing where it is not. */
export function faultsOfCreate(payload: unknown, faultsOf: FaultsOf): FaultDto[] {
  const length = Buffer.byteLength(JSON.stringify(payload));
  if (length > MAX_PAYLOAD_BYTES) return [{ pointer: '#', detail: `has more than ${MAX_PAYLOAD_BYTES} bytes` }];
  const validated = validate(createBookingSchema, payload);
  if ('faults' in validated) return validated.faults;
  return faultsOf(payload as CreateBookingDto);
}

/**
 * A create with a slot that keeps to a schema: one of its examples, or one that is made up. Whether a schema has one
 * at all cannot be told of every schema, so one for which none is found has to show one.
 *
 * @throws Error where none is found
 */
export function knownCreate(
  schema: JsonSchema,
  examples: readonly CreateBookingDto[],
  faultsOf: FaultsOf,
): CreateBookingDto {
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
