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

/** One of the values, written in any case. @param values in lower case */
export function oneOf<const Value extends string>(values: readonly Value[]) {
  const range = values.join(', ');
  const value = z.enum(values, { error: `must be one of ${range}` });
  return z.string().toLowerCase().pipe(value).meta({ range });
}

export function text(range: string) {
  return z
    .string()
    .refine((value) => value === value.trim(), { error: 'must not begin or end with white space' })
    .meta({ range });
}

/** A text that passes a check. */
export function checked(range: string, isValid: (text: string) => boolean) {
  return text(range).refine(isValid, { error: `must be ${range}` });
}

export function listOf<Item>(range: string, item: z.ZodType<Item, string>) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
    .meta({ range });
}

export function someOf<const Value extends string>(values: readonly Value[]) {
  const some = `some of ${values.join(', ')}`;
  return listOf(`${some}, separated by commas`, z.enum(values, { error: `must list ${some}` }));
}

/**
 * Whether a text is a single origin as browsers write it (RFC 6454 §6.2). `URL` reports no origin for the schemes of
 * mobile apps, such as `capacitor:`, and accepts `*` as a host.
 */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text) || /[*A-Z]/.test(text)) return false;
  const { protocol, host, origin } = new URL(text);
  const written = origin === 'null' ? `${protocol}//${host}` : origin;
  return host !== '' && written === text;
}
