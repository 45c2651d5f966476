import { readFileSync } from 'node:fs';

/** The SQL that a page of the documentation has below a heading, one text for each block. */
export function sqlOf(page: string, heading: string): string[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const [, section] = new RegExp(`^#+ ${heading}\\n(.*?)(?=^#|(?![^]))`, 'ms').exec(text)!;
  return [...section!.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql!);
}
