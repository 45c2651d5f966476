import type { CreateBookingDto, FieldErrorDto } from '@booking-service/contracts';

/** A schema of JSON Schema 2020-12 that is an object. */
export type JsonSchema = Record<string, unknown>;

/** What a deployment requires of create payloads beyond the rules of the interface (`docs/deployment.md`). */
export abstract class BookingSchema {
  /** Payloads that match it: at least one, or none if every payload does. */
  abstract readonly examples: readonly CreateBookingDto[];

  /** @returns the first fault; none for a payload that matches */
  abstract errorsOf(payload: CreateBookingDto): FieldErrorDto[];

  /**
   * JSON Schema 2020-12 of the whole payload, as a part of a document; undefined if every payload matches.
   *
   * @param place where it is in the document, as its references begin with it: `#/components/schemas/CreateBooking`
   */
  abstract schemaAt(place: string): JsonSchema | undefined;
}

/** The schema of the preview itself: every member is the creator's own. */
export const openBookingSchema: BookingSchema = { examples: [], errorsOf: () => [], schemaAt: () => undefined };
