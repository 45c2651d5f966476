import { type FaultDto, MAX_FAULTS, toPointer } from '@booking-service/contracts';
import type { ErrorObject } from 'ajv/dist/2020.js';

/** Characters that the contract gives to the detail of a fault. */
const MAX_DETAIL_LENGTH = 1_000;

/** The errors of Ajv as a problem lists them: at most 20, each at the member that has it or lacks. */
export function toFaults(errors: readonly ErrorObject[]): FaultDto[] {
  return errors.slice(0, MAX_FAULTS).map((error) => {
    const { member, detail } = memberAtFault(error);
    const path = error.instancePath.split('/').slice(1).map(unescapeSegment);
    return {
      pointer: toPointer(member === undefined ? path : [...path, member]),
      detail: detail.slice(0, MAX_DETAIL_LENGTH),
    };
  });
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

/** RFC 6901 §4. */
function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
