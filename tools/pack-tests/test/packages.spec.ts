import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ServiceProcess } from 'testing';

const root = join(import.meta.dirname, '../../..');
const dependencies = join(root, 'tools/node_modules');
const packages = ['contracts', 'client', 'conformance'];
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pack-tests-')));

/** A project with the packed packages. Nothing is fetched: zod and the types of Node are those of the workspace. */
beforeAll(() => {
  for (const name of packages)
    execFileSync('pnpm', ['pack', '--pack-destination', folder], { cwd: join(root, 'packages', name) });
  const tarballs = readdirSync(folder).map((name) => `./${name}`);
  write('package.json', '{ "private": true, "type": "module" }');
  const zod = realpathSync(join(dependencies, 'zod'));
  execFileSync('npm', ['install', '--offline', '--ignore-scripts', ...tarballs, zod], { cwd: folder });
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(realpathSync(join(dependencies, '@types/node')), join(folder, 'node_modules/@types/node'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const commonJs = `
  import { BookingsClient, isBookingsError, SlotTakenError } from '@booking-service/client';
  import type { BookingEventDto } from '@booking-service/client/events';

  const entries = ['client/events', 'contracts', 'contracts/events', 'contracts/instant', 'contracts/problem-types'];
  for (const entry of [...entries, 'conformance']) require('@booking-service/' + entry);

  export const typeOf = (event: BookingEventDto): string => event.type;
  const client = new BookingsClient<{ guest: string }>({ baseUrl: 'http://a', fetch: async () => Response.error() });
  export const guestOf = async (): Promise<string> => (await client.get('b1')).guest;
  guestOf().catch((error) => console.log(isBookingsError(error), error instanceof SlotTakenError));
`;

function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
}

/** Runs a program of Node in the project. @returns its exit code, and the lines on both outputs */
function run(...args: string[]): { code: number | null; printed: string[] } {
  const { status: code, output } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return { code, printed: linesOf(output.join('')) };
}

/** Compiles files for a target before ES2022, as `nest new` of Nest 10 does. @returns these files and those they need */
function compile(...files: string[]): string[] {
  const flags = ['--target', 'es2021', '--module', 'node16', '--strict', '--exactOptionalPropertyTypes'];
  const tsc = join(dependencies, 'typescript/bin/tsc');
  const { code, printed } = run(tsc, ...flags, '--types', 'node', '--listFiles', ...files);
  expect({ code, printed }).toMatchObject({ code: 0 });
  return printed;
}

/** Lines without ids and times, which differ from run to run. */
function linesOf(text: string): string[] {
  const withoutIds = text.replaceAll(/[\da-f]{8}-[\da-f]{4}-7[\da-f-]{21}/g, 'ID');
  return withoutIds
    .replaceAll(/(?<="created_at":")[^"]+/g, 'NOW')
    .split(/[\r\n]+/)
    .filter(Boolean);
}

describe('In ESM', () => {
  /** The programs of the packages' READMEs. */
  const programs = packages.flatMap((name) => {
    const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
    return [...readme.matchAll(/```ts\n(.*?)```/gs)].map(
      ([, code = ''], index) => [`${name}-${index + 1}`, code] as const,
    );
  });
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await ServiceProcess.start();
    for (const [name, code] of programs) write(`${name}.ts`, code.replaceAll('http://localhost:3000', service.url));
    compile(...programs.map(([name]) => `${name}.ts`));
  });
  afterAll(() => service.stop());

  it('the first program of the client books a slot that is free, and then prints who holds it', () => {
    expect(run('client-1.js').printed).toEqual(['ID', 'Ada']);
    expect(run('client-1.js').printed).toEqual(['held from 2026-12-01T09:00:00.000Z', 'Ada']);
  });

  it.each(programs.filter(([name]) => name !== 'client-1'))('%s prints what its comments say', (name, code) => {
    const comments = [...code.matchAll(/\); \/\/ (.*)$|^ *\/\/ (#.*)$/gm)];
    expect(run(`${name}.js`)).toEqual({ code: 0, printed: comments.map(([, after, below]) => after ?? below) });
  });

  it('the commands and the program of the README print what it shows', async () => {
    const fresh = await ServiceProcess.start();
    const readme = readFileSync(join(root, 'README.md'), 'utf8').replaceAll('http://localhost:3000', fresh.url);
    const examples = [...readme.matchAll(/```(sh|js)\n([^`]+)```\n\n```\n([^`]+)```/g)];
    expect(examples).toHaveLength(3);
    for (const [, language, code, shown] of examples) {
      if (language === 'js') write('readme.js', code!);
      const command = language === 'js' ? 'node readme.js' : code!.replace('-i', '-si');
      const lines = linesOf(execFileSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' }));
      // It leaves out common headers.
      expect(lines.filter((line) => linesOf(shown!).includes(line) || !/^[\w-]+: /.test(line))).toEqual(
        linesOf(shown!),
      );
    }
    await fresh.stop();
  });
});

it('The packages load in CommonJS', () => {
  write('commonjs.cts', commonJs);
  compile('commonjs.cts');
  expect(run('commonjs.cjs')).toEqual({ code: 0, printed: ['true false'] });
});

it.each(['client-1.ts', 'commonjs.cts'])('The client has types without the contracts and without Zod: %s', (file) => {
  expect(compile(file).join()).not.toMatch(/node_modules\/(?:zod|@booking-service\/contracts)\//);
});

it('The client in a bundle for a browser has less than 5,100 bytes in gzip', () => {
  const entry = 'node_modules/@booking-service/client/dist/index.js';
  const rolldown = join(dependencies, 'rolldown/bin/cli.mjs');
  expect(run(rolldown, entry, '--platform', 'browser', '--minify', '--file', 'bundle.js')).toMatchObject({ code: 0 });
  expect(gzipSync(readFileSync(join(folder, 'bundle.js'))).length).toBeLessThan(5_100);
});
