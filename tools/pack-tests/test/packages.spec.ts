import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { aSecret, freePort, ServiceProcess, temporaryFolder, until } from 'testing';
import { Registry } from './registry.js';
import { PLACEHOLDER, rehearseRelease, type Release, run as runAsync } from './release.js';

const root = join(import.meta.dirname, '../../..');
const dependencies = join(root, 'tools/node_modules');
const packages = ['contracts', 'client', 'conformance'];
const isOfContracts = (file: string): boolean => /node_modules\/(?:zod|@booking-service\/contracts)\//.test(file);
const folder = realpathSync(temporaryFolder());

/** The programs of the packages' READMEs. */
const programs = packages.flatMap((name) => {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)];
  return blocks.map(([, code = ''], index) => ({ name: `${name}-${index + 1}`, code }));
});

const COMMONJS = `import { BookingsClient, isBookingsError } from '@booking-service/client';
  import type { BookingEventDto } from '@booking-service/client/events';
  const entries = ['client/events', 'contracts', 'contracts/events', 'contracts/instant', 'contracts/problem-types'];
  for (const entry of [...entries, 'conformance']) require('@booking-service/' + entry);
  const client = new BookingsClient<{ guest: string }>({ baseUrl: 'http://a', fetch: async () => Response.error() });
  export const guestOf = async (event: BookingEventDto) => (await client.get(event.id)).guest;
  client.get('b1').catch((error) => console.log(isBookingsError(error)));`;

let registry: Registry;
let release: Release;
let service: ServiceProcess;

/**
 * A project that installs the packages of a release, with programs that use them. Zod, NestJS and the types of Node
 * come from the workspace.
 */
beforeAll(async () => {
  registry = await Registry.start();
  release = await rehearseRelease(registry.url);
  write('package.json', '{ "private": true, "type": "module" }');
  const zod = realpathSync(join(dependencies, 'zod'));
  const node = realpathSync(join(dependencies, '@types/node'));
  const names = packages.map((name) => `@booking-service/${name}@preview`).join(' ');
  await runAsync(folder, release.env, `npm install --ignore-scripts --no-audit --no-fund ${names} '${zod}'`);
  run(`mkdir node_modules/@types && ln -s '${node}' node_modules/@types/node`);
  run(`ln -s '${dependencies}/@nestjs' node_modules/@nestjs`);
  service = await ServiceProcess.start();
  for (const { name, code } of programs) write(`${name}.ts`, code.replaceAll('http://localhost:3000', service.url));
  const page = readFileSync(join(root, 'docs/events.md'), 'utf8');
  write('receiver.ts', /```ts\n(.*?)```/s.exec(page)?.[1] ?? '');
  write('commonjs.cts', COMMONJS);
  compile('receiver.ts', 'commonjs.cts', ...programs.map(({ name }) => `${name}.ts`));
});
afterAll(async () => {
  await registry.stop();
  await service.stop();
});

describe('A release, as release.yml makes it,', () => {
  it('publishes each package under `preview` alone, and tags it', () => {
    const { version, tags } = release;
    const published = packages.map((name) => registry.packages.get(`@booking-service/${name}`)!);
    expect(published.map((each) => each['dist-tags'])).toEqual(packages.map(() => ({ preview: expect.any(String) })));
    const released = published.map((each) => `${each.name}@${each['dist-tags']['preview']}`);
    expect(tags.toSorted()).toEqual([...released, `v${version}`].toSorted());
  });

  it.each(packages)('publishes %s as publint and attw want it', (name) => {
    const tarball = `${name}.tgz`;
    writeFileSync(join(folder, tarball), registry.tarballOf(`@booking-service/${name}`));
    run(`publint --strict ${tarball} && attw ${tarball}`);
  });

  it('has the version in the OpenAPI document, and names the repository', () => {
    const read = (file: string): string => readFileSync(join(folder, 'node_modules/@booking-service', file), 'utf8');
    expect(JSON.parse(read('contracts/openapi.json'))).toMatchObject({ info: { version: release.version } });
    for (const name of packages) expect(read(`${name}/package.json`)).not.toContain(PLACEHOLDER);
  });
});

function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
}

/** Runs a command in the project, with this workspace's programs on its path. @throws Error with its output */
function run(command: string): string[] {
  const env = { ...process.env, PATH: `${dependencies}/.bin:${process.env['PATH']}` };
  const { status, output } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(output.join(''));
  return linesOf(output.join(''));
}

/** Lines without ids and times, which differ from run to run. */
function linesOf(text: string): string[] {
  const withoutIds = text.replaceAll(/[\da-f]{8}-[\da-f]{4}-7[\da-f-]{21}/g, 'ID');
  const lines = withoutIds.replaceAll(/(?<="created_at":")[^"]+/g, 'NOW').split(/[\r\n]+/);
  return lines.filter(Boolean);
}

/** Compiles for a target before ES2022, as `nest new` did in Nest 10. @returns the files that were read */
function compile(...files: string[]): string[] {
  const nest = '--experimentalDecorators --emitDecoratorMetadata';
  const flags = `--target es2021 --module node16 --strict --exactOptionalPropertyTypes --types node --listFiles ${nest}`;
  return run(`tsc ${flags} ${files.join(' ')}`);
}

it('A package is not published before it names its repository', () => {
  const cwd = temporaryFolder();
  const url = `git+https://github.com/${PLACEHOLDER}.git`;
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'client', repository: { url } }));
  const { status, stderr } = spawnSync('node', [join(root, 'tools/check-publishable.js')], { cwd, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^client names no repository yet: .*\n$/)]);
});

it('The client has types without the contracts and without Zod, in ESM and in CommonJS', () => {
  expect(compile('client-1.ts', 'commonjs.cts').filter(isOfContracts)).toEqual([]);
});

describe('In ESM', () => {
  it.each(programs)('$name prints what it says', ({ name, code }) => {
    const comments = [...code.matchAll(/\); \/\/ (.*)$|^ *\/\/ (#.*)$/gm)];
    expect(run(`node ${name}.js`)).toEqual(comments.flatMap(([, after, below]) => linesOf(after ?? below!)));
  });

  it('the commands and the program of the README print what it shows', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8').replaceAll('http://localhost:3000', service.url);
    const examples = [...readme.matchAll(/```(?:sh|js)\n([^`]+)```\n\n```\n([^`]+)```/g)];
    expect(examples).toHaveLength(3);
    for (const [, code = '', printed = ''] of examples) {
      write('readme.js', code);
      const lines = run(code.startsWith('curl') ? code.replace('-i', '-si') : 'node readme.js');
      const shown = linesOf(printed);
      // The README omits common headers.
      expect(lines.filter((line) => shown.includes(line) || !/^[\w-]+: /.test(line))).toEqual(shown);
    }
  });
});

it('In CommonJS, the packages load', () => {
  expect(run('node commonjs.cjs')).toEqual(['true']);
});

it('The NestJS receiver of docs/events.md reads events, and rejects those of another secret', async () => {
  const secret = aSecret();
  const port = await freePort();
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
  const receiver = spawn('node', ['receiver.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  receiver.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  try {
    await until(() => printed.includes('successfully started'));
    const url = `http://localhost:${port}/hooks/bookings`;
    // The body is longer than Express reads by default.
    const body = JSON.stringify({ specversion: '1.0', id: 'ping-1', type: 'bookings.ping', data: 'x'.repeat(200_000) });
    const statuses = [];
    for (const key of [secret, aSecret()]) {
      const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8', ...signatureOf(body, key) };
      statuses.push((await fetch(url, { method: 'POST', headers, body })).status);
    }
    expect(statuses).toEqual([204, 500]);
    expect(printed).toContain('ping-1');
  } finally {
    receiver.kill();
  }
});

/** The headers of an event, signed as docs/events.md says. */
function signatureOf(body: string, secret: string): Record<string, string> {
  const id = 'ping-1';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

it('The client in a bundle for a browser has at most 5.5 kB in gzip', () => {
  run('rolldown node_modules/@booking-service/client/dist/index.js --platform browser --minify --file bundle.js');
  expect(gzipSync(readFileSync(join(folder, 'bundle.js'))).length).toBeLessThanOrEqual(5_500);
});
