import type { CreateBookingDto, FieldErrorDto } from '@booking-service/contracts';

/** A JSON Schema (2020-12) that is an object. */
export type JsonSchema = Record<string, unknown>;

/** A deployment's own rules for create payloads, beyond the interface's (docs/deployment.md). */
export abstract class BookingSchema {
  /** Sample payloads; none if every payload matches. */
  abstract readonly examples: readonly CreateBookingDto[];

  /** @returns at most one error; none if the payload matches */
  abstract errorsOf(payload: CreateBookingDto): FieldErrorDto[];

  /** The rules as a JSON Schema to embed in a document at `pointer`; undefined if every payload matches. */
  abstract schemaAt(pointer: string): JsonSchema | undefined;
}

export const openBookingSchema: BookingSchema = { examples: [], errorsOf: () => [], schemaAt: () => undefined };
