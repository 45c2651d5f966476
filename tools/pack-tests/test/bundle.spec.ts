import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consumer, installed, run } from './support/consumer.js';

const program = fileURLToPath(new URL('support/bundle.js', import.meta.url));

async function bundleOf(specifier: string): Promise<{ gzipped: number; packages: string[] }> {
  const { printed } = await run([program, consumer, specifier]);
  return JSON.parse(printed) as { gzipped: number; packages: string[] };
}

describe('What a browser loads', () => {
  it('of the client is the client alone, and as small as its README says', async () => {
    const { gzipped, packages } = await bundleOf('@booking-service/client');
    expect(packages).toEqual(['@booking-service/client']);
    const readme = readFileSync(join(installed('client'), 'README.md'), 'utf8');
    const [, kilobytes] = /less than (\d+) kB/.exec(readme)!;
    expect(Number(kilobytes)).toBeLessThanOrEqual(5);
    expect(gzipped).toBeLessThan(Number(kilobytes) * 1000);
    // Far below it, something was left out.
    expect(gzipped).toBeGreaterThan(Number(kilobytes) * 500);
  });

  it('of the part that verifies events is that part alone, and as small as the README says', async () => {
    const { gzipped, packages } = await bundleOf('@booking-service/client/events');
    expect(packages).toEqual(['@booking-service/client']);
    const readme = readFileSync(join(installed('client'), 'README.md'), 'utf8');
    expect(readme).toContain('less than 1.5 kB more');
    expect(gzipped).toBeLessThan(1500);
    expect(gzipped).toBeGreaterThan(500);
  });

  it.each(['@booking-service/contracts/instant', '@booking-service/contracts/problem-types'])(
    'of %s is not zod',
    async (specifier) => {
      const { gzipped, packages } = await bundleOf(specifier);
      expect(packages).toEqual(['@booking-service/contracts']);
      expect(gzipped).toBeLessThan(1000);
    },
  );

  it('of the schemas is zod, too, at most 30 kB of it all', async () => {
    const { gzipped, packages } = await bundleOf('@booking-service/contracts');
    expect(new Set(packages)).toEqual(new Set(['@booking-service/contracts', 'zod']));
    expect(gzipped).toBeLessThanOrEqual(30_000);
  });
});
