import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceProcess } from 'testing';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Packs what is published, and installs the tarballs into a throw-away folder, with the project that uses
 * them, and starts the service. Nothing is fetched: zod and the types of Node are those of the workspace.
 */
export default async function installTarballs() {
  const consumer = realpathSync(mkdtempSync(join(tmpdir(), 'pack-tests-')));
  const tarballs = join(consumer, 'tarballs');
  mkdirSync(tarballs);
  for (const name of ['contracts', 'client', 'conformance']) {
    run('pnpm', ['pack', '--pack-destination', tarballs], join(root, '../../packages', name));
  }
  writeFileSync(join(consumer, 'package.json'), '{ "private": true }\n');
  const packages = [...readdirSync(tarballs).map((name) => join(tarballs, name)), inWorkspace('zod')];
  const quietly = ['--no-audit', '--no-fund', '--no-update-notifier'];
  run('npm', ['install', '--offline', '--ignore-scripts', ...quietly, ...packages], consumer);
  mkdirSync(join(consumer, 'node_modules/@types'));
  symlinkSync(inWorkspace('@types/node'), join(consumer, 'node_modules/@types/node'));
  cpSync(join(root, 'project'), join(consumer, 'project'), { recursive: true });

  globalThis.service = await ServiceProcess.start();
  process.env.CONSUMER = consumer;
  process.env.SERVICE_URL = globalThis.service.url;
}

function inWorkspace(name) {
  return realpathSync(join(root, 'node_modules', name));
}

function run(program, args, cwd) {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
