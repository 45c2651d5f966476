import * as z from 'zod';
import { parseInstant } from './instant.js';
import { type CreatorSetMember, payloadErrors, type ServiceSetMember } from './payload-rules.js';

const missingOr = (error: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : error),
});

/** A resource's name: 1 to 200 Unicode code points, no control characters, compared code point by code point. */
export const resourceIdSchema = z
  .string(missingOr('is not a string'))
  // The `u` flag makes `{1,200}` count code points, and `\p{Cs}` match only lone surrogates.
  .refine((text) => /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(text), {
    error: 'is not 1 to 200 characters without control characters',
  })
  .meta({
    description: 'The resource: 1 to 200 Unicode code points, no control characters, compared exactly',
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    examples: ['room-7'],
  });

const INSTANT_ERROR =
  'is not an RFC 3339 date-time of a real day with an offset and at most milliseconds, as in 2026-12-01T09:00:00Z';

/** Maximum characters of an instant with milliseconds. Instants in responses, always in UTC, are shorter. */
export const MAX_INSTANT_LENGTH = '2026-12-01T09:00:00.000+01:00'.length;
/** Maximum characters of an instant in a request, where up to nine fraction digits are accepted. */
export const MAX_GIVEN_INSTANT_LENGTH = '2026-12-01T09:00:00.000000000+01:00'.length;

const instantText = z.string(missingOr('is not a string'));

const instantMeta = {
  description: 'RFC 3339 date-time with an offset and at most millisecond precision; returned in UTC',
  format: 'date-time',
  maxLength: MAX_INSTANT_LENGTH,
  examples: ['2026-12-01T09:00:00.000Z'],
};

/** An RFC 3339 date-time that `parseInstant` accepts. */
export const instantSchema = instantText
  .refine((text) => parseInstant(text) !== undefined, { error: INSTANT_ERROR })
  .meta(instantMeta);

/** Whether `from` is before `to`. True if either is not an instant, which is reported separately. */
export function isAscending(from: string, to: string): boolean {
  const first = parseInstant(from);
  const last = parseInstant(to);
  return first === undefined || last === undefined || first < last;
}

const slotOf = (id: string, maxLength: number) =>
  z
    .strictObject(
      {
        resource_id: resourceIdSchema,
        start: instantText.meta({ ...instantMeta, maxLength }),
        end: instantText.meta({
          ...instantMeta,
          maxLength,
          description: 'End of the window, exclusive',
          examples: ['2026-12-01T10:00:00.000Z'],
        }),
      },
      { error: (issue) => (issue.code === 'unrecognized_keys' ? 'is not a member of a slot' : 'is not an object') },
    )
    .superRefine(reportInstants, { when: ({ value }) => isObject(value) })
    .meta({ id, description: 'One resource for one window of time, half-open: [start, end)' });

/** One resource for one half-open window of time `[start, end)`. Other members are rejected. */
export const slotSchema = slotOf('Slot', MAX_INSTANT_LENGTH);

/** Reports faults in `start` and `end`, even if another member has an error. Parses each instant only once. */
function reportInstants({ start, end }: { start: unknown; end: unknown }, context: z.RefinementCtx): void {
  const read = (name: string, text: unknown): number | undefined => {
    if (typeof text !== 'string') return undefined;
    const instant = parseInstant(text);
    if (instant === undefined) context.addIssue({ code: 'custom', path: [name], message: INSTANT_ERROR });
    return instant;
  };
  const first = read('start', start);
  const last = read('end', end);
  if (first !== undefined && last !== undefined && first >= last) {
    context.addIssue({ code: 'custom', path: ['end'], message: 'is not after start' });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const payloadMembers = {
  slot: slotOf('NewSlot', MAX_GIVEN_INSTANT_LENGTH).optional(),
} satisfies Record<CreatorSetMember, z.ZodOptional>;

/** The payload of a create: a JSON object that obeys `docs/interface.md`. Only `slot` has a meaning to the service. */
export const createBookingSchema = z
  .unknown()
  // The check precedes `looseObject`, which drops a member named `__proto__`.
  .check((context) => {
    for (const { path, message } of payloadErrors(context.value)) {
      context.issues.push({ code: 'custom', input: context.value, path, message });
    }
  })
  .pipe(z.looseObject(payloadMembers, { error: 'is not a JSON object' }))
  .meta({
    id: 'CreateBooking',
    description: 'A booking to create: an optional slot, and any members of your own',
    additionalProperties: true,
  });

/** A pattern for text that needs no escaping in a URL (RFC 3986 §2.3). */
export const URL_SAFE = '[A-Za-z0-9._~-]+';

/** JSON Schema keywords for ids and cursors. */
export const idForm = { maxLength: 255, pattern: `^${URL_SAFE}$` };

const bookingMembers = {
  booking_id: z
    .string()
    .min(1)
    .meta({
      description: 'Set by the service; an opaque string that is safe in a URL',
      ...idForm,
      examples: ['019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55'],
    }),
  created_at: instantSchema.meta({
    description: 'Set by the service; UTC, milliseconds',
    examples: ['2026-11-20T18:12:03.417Z'],
  }),
  slot: slotSchema.optional(),
} satisfies Record<ServiceSetMember | CreatorSetMember, z.ZodType>;

/** A booking as the service returns it. */
export const bookingSchema = z.looseObject(bookingMembers).meta({
  id: 'Booking',
  description: "A booking: the members set by the service, and the creator's own members as they were sent",
  additionalProperties: true,
});

/** Maximum bookings on a page. */
export const MAX_PAGE_SIZE = 100;

const pageMembers = {
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: 'The `cursor` of the next page; null if and only if this is the last page', ...idForm }),
};

/** One page of the list of bookings. */
export const bookingPageSchema = z
  .looseObject({ bookings: z.array(bookingSchema).meta({ maxItems: MAX_PAGE_SIZE }), ...pageMembers })
  .meta({ id: 'BookingPage', description: 'One page of the list of bookings' });
