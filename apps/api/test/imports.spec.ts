import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The folder of a file below `src`; undefined for the files that put everything together. */
function folderOf(file: string): string | undefined {
  return file.includes(sep) ? file.split(sep)[0] : undefined;
}

/** For each folder, the folders whose files it imports. */
const imported = new Map<string, Set<string>>();
for (const file of files) {
  const text = readFileSync(join(src, file), 'utf8');
  for (const [, path] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
    const [from, to] = [folderOf(file), folderOf(relative(src, join(src, dirname(file), path!)))];
    if (from === undefined || to === undefined || from === to) continue;
    imported.set(from, (imported.get(from) ?? new Set()).add(to));
  }
}

/** All that a folder imports, also through others. */
function reachable(folder: string, seen = new Set<string>()): Set<string> {
  for (const next of imported.get(folder) ?? []) {
    if (seen.has(next)) continue;
    seen.add(next);
    reachable(next, seen);
  }
  return seen;
}

describe('Imports between the folders of the service', () => {
  it.each([...imported.keys()])('run one way: nothing that %s imports imports it', (folder) => {
    expect(reachable(folder)).not.toContain(folder);
  });

  it('leave the domain without a framework', () => {
    const domain = ['booking.ts', 'booking.errors.ts', 'cursor.ts', 'bookings.repository.ts'];
    for (const file of domain) {
      expect(readFileSync(join(src, 'bookings', file), 'utf8')).not.toMatch(
        /from '(?:@nestjs|express|pg'|\.\.\/(?!http\/expected-error))/,
      );
    }
  });

  it('never lead to the root, which puts everything together, or to the configuration', () => {
    const targets = files
      .filter((file) => ![undefined, 'cli', 'config'].includes(folderOf(file)))
      .flatMap((file) =>
        [...readFileSync(join(src, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path]) =>
          join(dirname(file), path!),
        ),
      )
      .filter((path) => [undefined, 'config'].includes(folderOf(path)));
    expect([...new Set(targets)]).toEqual([]);
  });
});
