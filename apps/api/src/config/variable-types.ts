import { z } from 'zod';

/** A whole number in decimal digits. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine((digits) => /^\d+$/.test(digits) && Number(digits) >= least && Number(digits) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number)
    .meta({ range: `${least} to ${most}` });
}

export function flag() {
  return z.stringbool({ error: 'must be true or false' }).meta({ range: 'true, false' });
}

export function oneOf<const Value extends string>(values: readonly Value[]) {
  const range = values.join(', ');
  return z.enum(values, { error: `must be one of ${range}` }).meta({ range });
}

export function text(range: string) {
  return z
    .string()
    .refine((value) => value === value.trim(), { error: 'must not begin or end with white space' })
    .meta({ range });
}

/** Items separated by commas, and by white space or not. */
export function listOf<Item>(range: string, item: z.ZodType<Item, string>) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
    .meta({ range });
}

/** A character of a path (RFC 3986 §3.3); the query and the fragment may have a question mark too. */
const PATH = String.raw`[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2}`;
// Scheme, authority, path, query, fragment; without a scheme, the first segment of the path has no colon.
const URI_REFERENCE = new RegExp(
  String.raw`^(?:[a-z][a-z\d+.-]*:|(?![^/?#]*:))(?://[\w.~!$&'()*+,;=:@%[\]-]*)?(?:${PATH})*(?:\?(?:${PATH}|\?)*)?(?:#(?:${PATH}|\?)*)?$`,
  'i',
);

/** Whether a text is a URI or a path of one (RFC 3986 §4.1). */
export function isUriReference(text: string): boolean {
  return URI_REFERENCE.test(text) && URL.canParse(text, 'http://localhost');
}

/** Whether a text is one origin as browsers write it (RFC 6454 §6.2). A `*` could be the name of a host. */
export function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
