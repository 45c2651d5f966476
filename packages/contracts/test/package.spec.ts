import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readManifest = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as { dependencies?: object };

/** What a program of a consumer prints; the package finds itself by its own name. */
const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });

describe('the built package', () => {
  const use = "console.log(c.operations.createBooking.path, 'value' in c.validate(c.createBookingSchema, {}))";

  it('can be imported', () => {
    const program = `import * as c from '@booking-service/contracts'; ${use}`;
    expect(run('--input-type=module', '--eval', program)).toBe('/v1/bookings true\n');
  });

  it('can be required, as Node allows from 20.19 on', () => {
    const program = `const c = require('@booking-service/contracts'); ${use}`;
    expect(run('--input-type=commonjs', '--no-warnings', '--eval', program)).toBe('/v1/bookings true\n');
  });

  it('depends on zod, which depends on nothing', () => {
    expect(Object.keys(readManifest(join(root, 'package.json')).dependencies ?? {})).toEqual(['zod']);
    const zod = createRequire(join(root, 'package.json')).resolve('zod/package.json');
    expect(Object.keys(readManifest(zod).dependencies ?? {})).toEqual([]);
  });

  it('imports itself and zod, and nothing of Node, so that it runs in a browser', () => {
    const modules = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.js'));
    expect(modules).toContain('index.js');
    for (const name of modules) {
      const code = readFileSync(join(root, 'dist', name), 'utf8');
      for (const [, specifier] of code.matchAll(/^(?:import|export)\b.* from '([^']+)'/gm)) {
        expect(specifier).toMatch(/^(zod|\.\/[\w-]+\.js)$/);
      }
      expect(code).not.toMatch(/\b(?:process|Buffer|require)\b[.(]/);
    }
  });
});
