import { z } from 'zod';

/** A variable that lists items, with commas between them and white space around them or not. */
export function commaList<Item extends string>(isItem: (text: string) => text is Item, error: string) {
  return z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .pipe(z.custom<Item[]>((items) => (items as string[]).every(isItem), { error }));
}
