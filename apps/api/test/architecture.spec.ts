import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/** The room of a file in `src`, as the picture names it. */
function roomOf(file: string): string {
  if (!file.includes('/')) return 'root';
  const [room, part] = file.split('/');
  if (room !== 'bookings' || /\.[jt]s$/.test(part!)) return room!;
  return part === 'domain' ? part : 'stores';
}

/** The imports of a text that lead to another room, or to another feature, as arrows. */
function arrowsOf(file: string, text: string): string[] {
  const targets = Array.from(text.matchAll(/(?:from |import\()'(\.[^']+)'/g), ([, target]) =>
    posix.join(file, '..', target!),
  );
  const featureOf = (path: string) => /^features\/[^/]+/.exec(path)?.[0];
  return targets.flatMap((target) => {
    const from = roomOf(file);
    const to = roomOf(target);
    if (from === 'features' && to === 'features') {
      return featureOf(file) === featureOf(target) ? [] : [`${featureOf(file)} --> ${featureOf(target)}`];
    }
    return from === to ? [] : [`${from} --> ${to}`];
  });
}

/** The arrows between rooms in the picture of docs/architecture.md: `a & b --> c & d` is four of them. */
function drawnArrows(): string[] {
  const page = readFileSync(join(REPOSITORY, 'docs/architecture.md'), 'utf8');
  const lines = /subgraph src [^]*?\n {2}end/.exec(page)![0].matchAll(/^ +(.+) --> (.+)$/gm);
  return [...lines].flatMap(([, from, to]) =>
    from!.split(' & ').flatMap((a) => to!.split(' & ').map((b) => `${a} --> ${b}`)),
  );
}

describe('The folders of apps/api/src', () => {
  it('import each other as docs/architecture.md draws it, and no feature imports another', () => {
    const paths = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
    const files = paths.filter((path) => path.endsWith('.ts')).map((path) => path.split(sep).join('/'));
    const arrows = new Set(files.flatMap((file) => arrowsOf(file, readFileSync(join(SOURCES, file), 'utf8'))));
    expect([...arrows].toSorted()).toEqual(drawnArrows().toSorted());
  });

  it('keep the product out of platform/, but for the name of the application', () => {
    const folder = join(SOURCES, 'platform');
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const lines = paths.flatMap((path) => readFileSync(join(folder, path), 'utf8').split('\n'));
    const named = lines.filter((line) => /booking|webhook|slot/i.test(line) && !line.includes('application_name:'));
    expect([paths.length > 0, named]).toEqual([true, []]);
  });
});
