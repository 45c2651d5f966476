import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the built package', () => {
  it('can be required, as Node allows from 20.19 on', () => {
    // The package finds itself by its own name.
    const program = `const c = require('@booking-service/contracts');
      console.log(c.operations.createBooking.path, 'value' in c.validate(c.createBookingSchema, {}))`;
    const args = ['--input-type=commonjs', '--no-warnings', '--eval', program];
    expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })).toBe('/v1/bookings true\n');
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
