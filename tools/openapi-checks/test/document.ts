import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The text of the document that the contracts package ships; a test of the service keeps it up to date. */
export const documentText = readFileSync(
  createRequire(import.meta.url).resolve('@booking-service/contracts/openapi.json'),
  'utf8',
);

/** The text with one of its strings replaced, for the tests that have to see a fault. */
export function damaged(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`There is no ${from} to replace.`);
  return text.replaceAll(from, to);
}

const root = new URL('../../../', import.meta.url);

/** Every pact of this repository: its path from the root, and its text. */
export function readPacts(): { path: string; text: string }[] {
  return ['packages', 'examples']
    .flatMap((folder) => readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}/pacts`))
    .flatMap((folder) => jsonFilesIn(folder).map((name) => `${folder}/${name}`))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

function jsonFilesIn(folder: string): string[] {
  try {
    return readdirSync(new URL(folder, root)).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** The first columns of a table of the README, below a heading; code without its marks. */
export function tableOf(heading: string, columns: number): string[][] {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split(`## ${heading}\n`);
  const rows = section
    .split('\n## ', 1)[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, 1 + columns)
      .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
  );
}
