import type { CreateBookingDto, FieldErrorDto } from '@booking-service/contracts';

/** JSON Schema 2020-12, as an object. */
export type JsonSchema = Record<string, unknown>;

/** The rules of a deployment for create payloads, beyond those of the interface (docs/deployment.md). */
export abstract class BookingSchema {
  /** Sample payloads; empty if every payload matches. */
  abstract readonly examples: readonly CreateBookingDto[];

  /** @returns the first fault; empty for a payload that matches */
  abstract errorsOf(payload: CreateBookingDto): FieldErrorDto[];

  /** @param pointer where the schema will stand, to rewrite references @returns undefined if every payload matches */
  abstract schemaAt(pointer: string): JsonSchema | undefined;
}

export const openBookingSchema: BookingSchema = { examples: [], errorsOf: () => [], schemaAt: () => undefined };
