import { readFileSync } from 'node:fs';

/** The SQL blocks below a heading of a page in `docs`. */
export function sqlOf(page: string, heading: string): string[] {
  return blocksOf(page, heading, 'sql');
}

/** The blocks of shell commands below a heading of a page in `docs`. */
export function commandsOf(page: string, heading: string): string[] {
  return blocksOf(page, heading, 'sh');
}

function blocksOf(page: string, heading: string, language: string): string[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const [, section] = new RegExp(`^#+ ${heading}\\n(.*?)(?=^#|(?![^]))`, 'ms').exec(text)!;
  return [...section!.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block!);
}
