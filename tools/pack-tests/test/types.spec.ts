import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed, packages, type PackageName } from './support/consumer.js';
import { docCommentsOf, errorsIn, platforms } from './support/types.js';

const sourcesOf = (name: PackageName) =>
  fileURLToPath(new URL(`../../../packages/${name}/src/index.ts`, import.meta.url));
const typesOf = (name: PackageName) => join(installed(name), 'dist/index.d.ts');
const eventTypes = ['contracts', 'client'].map((name) => join(installed(name as PackageName), 'dist/events.d.ts'));

describe('The installed types', () => {
  it.each(Object.keys(platforms))('have no error where `fetch` and its like come from the %s types', (platform) => {
    const scope = join(installed('client'), '..');
    const files = [...packages.map(typesOf), ...eventTypes];
    expect(errorsIn(scope, files, { ...platforms[platform], skipLibCheck: false })).toEqual([]);
  });

  it('carry every doc comment of the sources', () => {
    const found = docCommentsOf(...packages.map(typesOf), ...packages.map(sourcesOf));
    const [contracts, client] = found;
    expect(found.slice(0, packages.length)).toEqual(found.slice(packages.length));
    expect(contracts!.get('parseInstant')).toMatch(/^Reads an RFC 3339 date-time.*@returns milliseconds since 1970/s);
    expect(client!.get('BookingsClient.create')).toMatch(/^Makes a booking, once.*@throws SlotTakenError/s);
  });
});
