import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the built package', () => {
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
