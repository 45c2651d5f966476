import * as z from 'zod';
import {
  idForm,
  instantSchema,
  isAscending,
  MAX_GIVEN_INSTANT_LENGTH,
  MAX_PAGE_SIZE,
  resourceIdSchema,
} from './booking.js';

/** Orders of a list without a window: newest first (the default) or oldest first. */
export const sortOrders = ['-created_at', 'created_at'] as const;
export type SortOrder = (typeof sortOrders)[number];

export const DEFAULT_PAGE_SIZE = 20;

const filterInstant = instantSchema.meta({
  maxLength: MAX_GIVEN_INSTANT_LENGTH,
  examples: ['2026-12-01T00:00:00Z'],
});

/** The query of the list, given as strings. Unknown parameters are rejected, so that no filter is silently ignored. */
export const listBookingsQuerySchema = z
  .strictObject(
    {
      limit: z
        .string()
        .regex(/^(?:[1-9]\d?|100)$/, { error: `is not a whole number from 1 to ${MAX_PAGE_SIZE}` })
        .transform(Number)
        .pipe(z.int().min(1).max(MAX_PAGE_SIZE))
        .default(DEFAULT_PAGE_SIZE)
        .meta({ description: 'Maximum number of bookings on a page', format: 'int32', examples: [2] }),
      cursor: z
        .string()
        .min(1, { error: 'is empty' })
        .optional()
        .meta({
          description:
            'The `next_cursor` of the previous page; opaque; valid only with the same `resource_id`, `from`, `to` and `sort`',
          ...idForm,
        }),
      resource_id: resourceIdSchema.optional().meta({ description: 'Only bookings whose slot is on this resource' }),
      from: filterInstant.optional().meta({
        description: 'Only bookings whose slot overlaps `[from, to)`, the earliest first; unbounded without `to`',
      }),
      to: filterInstant.optional().meta({
        description: 'Only bookings whose slot overlaps `[from, to)`, the earliest first; unbounded without `from`',
      }),
      sort: z
        .enum(sortOrders, { error: `is not one of ${sortOrders.join(', ')}` })
        .optional()
        .meta({
          description: `The newest first (\`${sortOrders[0]}\`, the default) or the oldest; not together with \`from\` or \`to\``,
        }),
    },
    { error: (issue) => (issue.code === 'unrecognized_keys' ? 'is not a parameter of this list' : undefined) },
  )
  .refine(({ from, to }) => from === undefined || to === undefined || isAscending(from, to), {
    error: 'is not after from',
    path: ['to'],
  })
  .refine(({ from, to, sort }) => sort === undefined || (from === undefined && to === undefined), {
    error: 'cannot be combined with from or to, whose bookings are listed by start',
    path: ['sort'],
  });

/** The validated query of the list: `limit` is a number, 20 by default. */
export type ListBookingsQuery = z.output<typeof listBookingsQuerySchema>;
