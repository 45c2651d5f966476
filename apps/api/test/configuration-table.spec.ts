import { readFileSync } from 'node:fs';
import { variables } from '../src/config/variables.js';

const page = new URL('../../../docs/configuration.md', import.meta.url);

/** Each variable, and its default as it would be set; undefined where it has none. */
const defaults = Object.entries(variables).map(([name, schema]) => {
  const value = schema.parse(undefined);
  return { name, schema, text: value === undefined ? undefined : [value].flat().join(', ') };
});

/** What the page must say of every variable; to be copied from a failure of the test. */
const expectedRows = defaults.map(({ name, schema, text }) => {
  const { description, default: shown = text ?? 'not set' } = schema.meta()!;
  const { range } = schema.unwrap().meta()!;
  return `| \`${name}\` | ${String(shown)} | ${String(range)} | ${description} |`;
});

/** Rows of tables whose first cell is the name of a variable, without the white space that aligns them. */
function rowsOf(markdown: string): string[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| `[A-Z][A-Z_]*` /.test(line))
    .map((line) => line.replaceAll(/ +/g, ' '));
}

describe('docs/configuration.md', () => {
  it('has a row for every variable that the service reads, and for no other', () => {
    expect(rowsOf(readFileSync(page, 'utf8')).toSorted()).toEqual(expectedRows.toSorted());
  });
});

describe('The table of variables', () => {
  it.each(defaults)('gives $name a default in its own range', ({ schema, text }) => {
    expect(schema.safeParse(text).success).toBe(true);
  });
});
