import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HOST = '127.0.0.1';
const START_SECONDS = 20;

export interface Service {
  baseUrl: string;
  stop(): Promise<void>;
}

/** Starts the built service as a process of its own and waits until it answers. */
export async function startService(): Promise<Service> {
  const port = await findFreePort();
  const program = fileURLToPath(new URL('dist/main.js', import.meta.resolve('api/package.json')));
  const child = spawn(process.execPath, [program], {
    // Nothing else of this environment: the demo fills an empty store in memory, never a configured one.
    env: { HOST, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  const baseUrl = `http://${HOST}:${port}`;
  const deadline = Date.now() + START_SECONDS * 1000;
  while (!(await isAlive(baseUrl))) {
    if (child.exitCode !== null) throw new Error(`The service ended with exit code ${child.exitCode} as it started`);
    if (Date.now() > deadline) {
      await stop();
      throw new Error(`The service did not answer within ${START_SECONDS} s`);
    }
    await sleep(50);
  }
  return { baseUrl, stop };
}

async function isAlive(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/health/live`)).ok;
  } catch {
    return false;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
