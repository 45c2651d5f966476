import { readFileSync } from 'node:fs';

/** The blocks of SQL below a heading of a page in `docs`. */
export function sqlOf(page: string, heading: string): string[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const [, section] = new RegExp(`^#+ ${heading}\\n(.*?)(?=^#|(?![^]))`, 'ms').exec(text)!;
  return [...section!.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql!);
}
