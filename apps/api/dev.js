/**
 * `pnpm dev`: builds and runs the service, and does so again whenever a source of it changes. A build that fails leaves the
 * service of the last good one running. turbo builds nothing twice. It polls: no save is missed, on any file system.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
const SOURCES = ['apps/api/src', 'apps/timetable/src', 'packages/client/src', 'packages/contracts/src'];
/** Milliseconds between two looks at the sources. */
const INTERVAL = 300;

let service;

// Ctrl+C reaches the service too, and would cut its requests if it came twice.
process.on('SIGINT', () => void end(false));
process.on('SIGTERM', () => void end(true));

for (let built = ''; ; await sleep(INTERVAL)) {
  const sources = stateOfSources();
  if (sources === built) continue;
  built = sources;
  if (await build()) await restart();
}

/** Changes with every save: the file, when it was written, and its size. */
function stateOfSources() {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(root, folder, file)),
  );
  return files
    .map((file) => {
      const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
      return `${file} ${mtimeMs} ${size}`;
    })
    .join('\n');
}

async function build() {
  const options = ['run', 'build', '--filter=api'];
  const turbo = spawn('turbo', options, { cwd: root, stdio: 'inherit' });
  const [code] = await once(turbo, 'exit');
  return code === 0;
}

async function restart() {
  if (service?.kill('SIGTERM')) await once(service, 'exit');
  service = spawn(process.execPath, [join(root, 'apps/api/dist/main.js')], { cwd: root, stdio: 'inherit' });
}

/** @param {boolean} isPassedOn */
async function end(isPassedOn) {
  if (service !== undefined && service.exitCode === null && service.signalCode === null) {
    if (isPassedOn) service.kill('SIGTERM');
    await once(service, 'exit');
  }
  process.exit();
}
