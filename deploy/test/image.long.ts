import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from 'testing';

/** An image that is already built, to work on these tests. */
const given = process.env['TEST_IMAGE'];
const name = given ?? 'booking-service-under-test';
const buildah = (...args: string[]): string => execFileSync('buildah', args, { encoding: 'utf8' }).trim();

describe('The image', () => {
  let container: string;
  let pristine: string;
  let root: string;
  let port: number;
  let service: ChildProcess;
  let pid: number;

  const inContainer = (...command: string[]): string[] => {
    const flags = ['--isolation=chroot', '--network=host', '--user=1000:1000', `--env=PORT=${port}`];
    return ['run', ...flags, container, '--', ...command];
  };

  beforeAll(async () => {
    const program = join(import.meta.dirname, '../build-image.js');
    // It prints what is missing, where it cannot be built here.
    if (given === undefined)
      execFileSync(process.execPath, [program, name], { stdio: ['ignore', 'ignore', 'inherit'] });
    container = buildah('from', '--pull-never', name);
    // A second container: running one adds files for the network.
    pristine = buildah('from', '--pull-never', name);
    root = buildah('mount', pristine);
    port = await freePort();
    service = spawn('buildah', inContainer('node', 'dist/main.js'), { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface(service.stdout!)) if (line.includes('Booking service (preview) on')) break;
    // The child is buildah, with further processes between it and the service.
    const running = execFileSync('pgrep', ['--full', '^/usr/local/bin/node dist/main.js$'], { encoding: 'utf8' });
    const isOurs = (id: string): boolean => readFileSync(`/proc/${id}/environ`, 'utf8').includes(`PORT=${port}\0`);
    pid = Number(running.trim().split('\n').find(isOurs));
  });

  afterAll(() => {
    if (container === undefined) return;
    if (service.exitCode === null) process.kill(pid, 'SIGKILL');
    buildah('rm', container, pristine);
    if (given === undefined) buildah('rmi', name);
  });

  it('runs as user 1000 and books', async () => {
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
    const create = async (): Promise<number> => {
      const headers = { 'Content-Type': 'application/json' };
      const url = `http://127.0.0.1:${port}/v1/bookings`;
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ slot }) })).status;
    };
    expect([await create(), await create()]).toEqual([201, 409]);
    expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
  });

  it('passes its own health check', () => {
    const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');
    const [, command] = /^HEALTHCHECK .*\\\n\s+CMD (.*)$/m.exec(dockerfile)!;
    expect(spawnSync('buildah', inContainer(...(JSON.parse(command!) as string[]))).status).toBe(0);
  });

  it('has no program but Node, and no file that the service could write', () => {
    const find = (...test: string[]): string[] =>
      execFileSync('find', [root, '-xdev', ...test], { encoding: 'utf8' })
        .split('\n')
        .filter((file) => file !== '')
        .map((file) => relative(root, file));
    const programs = find('-type', 'f', '-perm', '/111', '-not', '-path', '*/service/*', '-not', '-name', '*.so*');
    expect(programs).toEqual(['usr/local/bin/node']);
    expect(
      find('(', '-user', '1000', '-o', '-group', '1000', '-o', '-perm', '/o+w', ')', '-not', '-type', 'l'),
    ).toEqual([]);
  });

  it('stops on SIGTERM with 0', async () => {
    const ended = once(service, 'exit');
    process.kill(pid, 'SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
