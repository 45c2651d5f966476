import { readFileSync } from 'node:fs';
import { problemType, problemTypes, type ProblemName } from '../src/index.js';

const names = Object.keys(problemTypes) as ProblemName[];

describe('a problem type', () => {
  it('has a row in docs/interface.md with its status, and no other has', () => {
    const page = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
    const [, errors] = /^## Errors\n(.*?)^## /ms.exec(page)!;
    const rows = [...errors!.matchAll(/^\| `([\w-]+)` +\| (\d+) /gm)].map(([, name, status]) => [name, Number(status)]);
    expect(rows).toEqual(names.map((name) => [name, problemTypes[name].status]));
  });

  // URN syntax (RFC 8141 §2): a namespace, and a string in a small alphabet.
  it.each(names)('is named by a URN that ends in its name, with a title and a sentence of its own: %s', (name) => {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(problemType(name)).toBe(`urn:problem-type:bookings:${name}`);
    const { title, detail } = problemTypes[name];
    expect(names.filter((other) => problemTypes[other].title === title)).toEqual([name]);
    expect(detail).toMatch(/^[A-Z].+\.$/);
    expect(names.filter((other) => problemTypes[other].detail === detail)).toEqual([name]);
  });
});
