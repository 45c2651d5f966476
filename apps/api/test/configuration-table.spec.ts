import { readFileSync } from 'node:fs';
import { variables } from '../src/config-table.js';

const page = new URL('../../../docs/configuration.md', import.meta.url);

/** Rows of tables whose first cell is the name of a variable, without the white space that aligns them. */
function rowsOf(markdown: string): string[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| `[A-Z][A-Z_]*` /.test(line))
    .map((line) => line.replaceAll(/ +/g, ' '));
}

/** What the page has to say of every variable; to be copied from a failure of the test. */
const expectedRows = Object.entries(variables).map(
  ([name, { shownDefault, range, meaning }]) => `| \`${name}\` | ${shownDefault} | ${range} | ${meaning} |`,
);

describe('docs/configuration.md', () => {
  it('has a row for every variable that the service reads, and for no other', () => {
    expect(rowsOf(readFileSync(page, 'utf8')).toSorted()).toEqual(expectedRows.toSorted());
  });
});

describe('The table of variables', () => {
  it.each(Object.entries(variables))('gives %s a default in its own range', (_, { schema, fallback }) => {
    expect(fallback === undefined || schema.safeParse(fallback).success).toBe(true);
  });
});
