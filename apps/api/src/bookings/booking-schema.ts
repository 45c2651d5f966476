import type { CreateBookingDto, FieldErrorDto } from '@booking-service/contracts';
import type { JsonSchema } from '../features/booking-schema/json-schema.js';

/** What a deployment requires of create payloads beyond the rules of the interface (`docs/deployment.md`). */
export abstract class BookingSchema {
  /** JSON Schema 2020-12 of the whole payload, its references from its own root; undefined if nothing is required. */
  abstract readonly json: JsonSchema | undefined;
  /** Payloads that match it: at least one if there is a schema. */
  abstract readonly examples: readonly CreateBookingDto[];

  /** @returns the first fault; none for a payload that matches */
  abstract errorsOf(payload: CreateBookingDto): FieldErrorDto[];
}

/** The schema of the preview itself: every member is the creator's own. */
export const openBookingSchema: BookingSchema = { json: undefined, examples: [], errorsOf: () => [] };
