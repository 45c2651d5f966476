import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const api = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(api, 'package.json'), 'utf8')) as { scripts: { dev: string } };

/** How often each kind of save is tried: one that is missed is not missed every time. */
const ROUNDS = 2;

describe('pnpm dev', () => {
  it('restarts at every save, also in place after git replaced the file', async () => {
    // Another program under the script and the compiler options of the service, because that takes long to compile.
    const folder = mkdtempSync(join(tmpdir(), 'bookings-dev-'));
    const file = join(folder, 'src/main.ts');
    const program = (text: string): string => `process.stdout.write('started ${text}\\n');\n`;
    mkdirSync(join(folder, 'src'));
    writeFileSync(file, program('first'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const compilerOptions = {
      rootDir: 'src',
      outDir: 'build',
      tsBuildInfoFile: 'build/.tsbuildinfo',
      typeRoots: [join(api, 'node_modules/@types')],
    };
    const config = { extends: join(api, 'tsconfig.build.json'), compilerOptions, include: ['src'], references: [] };
    writeFileSync(join(folder, 'tsconfig.build.json'), JSON.stringify(config));

    const dev = spawn('sh', ['-c', `exec ${scripts.dev}`], {
      cwd: folder,
      env: { PATH: `${join(api, 'node_modules/.bin')}:${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    dev.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    /** Waits until the text is printed, and forgets what was printed before it. */
    const prints = async (text: string): Promise<void> => {
      const deadline = performance.now() + 30_000;
      while (!printed.includes(text)) {
        if (performance.now() > deadline) throw new Error(`"${text}" is not printed, but: ${printed}`);
        await sleep(20);
      }
      printed = printed.slice(printed.indexOf(text) + text.length);
    };
    try {
      await prints('started first');
      for (let round = 1; round <= ROUNDS; round++) {
        printed = '';
        writeFileSync(`${file}.new`, program(`replaced ${round}`));
        renameSync(`${file}.new`, file);
        await prints('Watching for file changes.');
        writeFileSync(file, program(`in place ${round}`));
        await prints(`started in place ${round}`);
      }
    } finally {
      dev.kill('SIGTERM');
      await once(dev, 'close');
      rmSync(folder, { recursive: true });
    }
  }, 180_000);
});
