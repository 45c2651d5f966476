import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));
const modules = join(workspace, 'apps/api/node_modules');
const scriptsOf = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts;

/** How often each kind of save is tried: one that is missed is not missed every time. */
const ROUNDS = 2;
/** Milliseconds for a build and a start. */
const TIMEOUT = 60_000;

describe('pnpm dev', () => {
  let root: string;
  let file: string;
  let dev: ReturnType<typeof start>;

  /** Another program under the scripts, the tasks and the compiler options of the service, because that takes long. */
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'bookings-dev-'));
    const api = join(root, 'apps/api');
    file = join(api, 'src/main.ts');
    mkdirSync(join(api, 'src/cli'), { recursive: true });
    for (const name of ['apps/timetable', 'packages/client', 'packages/contracts'])
      mkdirSync(join(root, name, 'src'), { recursive: true });
    for (const name of readdirSync(join(workspace, 'apps/api/src/cli')))
      writeFileSync(join(api, 'src/cli', name), 'export {};\n');
    const write = (path: string, content: object) => writeFileSync(join(root, path), JSON.stringify(content));
    const { build } = scriptsOf(join(workspace, 'apps/api'));
    write('package.json', { name: 'root', packageManager: 'pnpm@12.21.0' });
    write('apps/api/package.json', {
      name: 'api',
      type: 'module',
      scripts: { build: `${build} && echo built >> ../../builds` },
    });
    write('apps/api/tsconfig.build.json', { extends: './tsconfig.options.json', references: [] });
    writeFileSync(join(root, 'pnpm-workspace.yaml'), 'packages: [apps/*]\npmOnFail: ignore\n');
    copyFileSync(join(workspace, 'apps/api/tsconfig.build.json'), join(api, 'tsconfig.options.json'));
    for (const name of [
      '.gitignore',
      'turbo.json',
      'tsconfig.base.json',
      'apps/api/dev.js',
      'apps/api/end-with-npx.js',
      'apps/api/rolldown.config.js',
    ])
      copyFileSync(join(workspace, name), join(root, name));
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    mkdirSync(join(api, 'node_modules'));
    for (const name of ['rolldown', '@types']) symlinkSync(join(modules, name), join(api, 'node_modules', name));
  });

  afterAll(() => rmSync(root, { recursive: true }));

  afterEach(() => dev.stop());

  /** `pnpm dev`, and what it prints. */
  function start() {
    const path = [join(workspace, 'node_modules/.bin'), join(modules, '.bin'), process.env['PATH']].join(':');
    const env = { ...process.env, PATH: path };
    const script = spawn('sh', ['-c', scriptsOf(workspace)['dev']!.replace('pnpm install &&', '')], {
      cwd: root,
      env,
      detached: true,
    });
    let printed = '';
    for (const stream of [script.stdout, script.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    return {
      /** Waits until the text is printed, and forgets what was printed before it. */
      async prints(text: string): Promise<void> {
        const deadline = performance.now() + TIMEOUT;
        while (!printed.includes(text)) {
          if (performance.now() > deadline || script.exitCode !== null)
            throw new Error(`"${text}" is not printed, but: ${printed}`);
          await sleep(20);
        }
        printed = printed.slice(printed.indexOf(text) + text.length);
      },
      printed: () => printed,
      async stop(): Promise<void> {
        // As Ctrl+C does: to all that it runs.
        process.kill(-script.pid!, 'SIGINT');
        await once(script, 'close');
      },
    };
  }

  const program = (text: string): string =>
    `process.stdout.write('started ${text}\\n');\nsetInterval(() => process.stdout.write('${text} runs\\n'), 50);\n`;

  it('restarts at every save, also in place after git replaced the file', async () => {
    writeFileSync(file, program('first'));
    dev = start();
    await dev.prints('started first');
    for (let round = 1; round <= ROUNDS; round++) {
      writeFileSync(`${file}.new`, program(`replaced ${round}`));
      renameSync(`${file}.new`, file);
      await dev.prints(`started replaced ${round}`);
      writeFileSync(file, program(`in place ${round}`));
      await dev.prints(`started in place ${round}`);
    }
  }, 180_000);

  it('leaves the service of the last good build running while there is a type error', async () => {
    writeFileSync(file, program('good'));
    dev = start();
    await dev.prints('started good');
    writeFileSync(file, `${program('bad')}export const count: number = 'one';\n`);
    await dev.prints('error TS2322');
    await sleep(1000);
    await dev.prints('good runs');
    expect(dev.printed()).not.toContain('started');
    writeFileSync(file, program('better'));
    await dev.prints('started better');
  }, 180_000);

  it('compiles nothing where nothing has changed', async () => {
    writeFileSync(file, program('unchanged'));
    dev = start();
    await dev.prints('started unchanged');
    await dev.stop();
    const builds = () => readFileSync(join(root, 'builds'), 'utf8');
    const before = builds();
    expect(before).toContain('built');
    dev = start();
    await dev.prints('started unchanged');
    expect(builds()).toBe(before);
  }, 180_000);
});
