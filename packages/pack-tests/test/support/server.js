import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a server as a process of its own, and waits until it prints the port that it chose.
 *
 * @param {string[]} args the program and its arguments
 * @param {{ cwd?: string, env?: Record<string, string> }} options its folder, and all of its environment
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startServer(args, options) {
  const child = spawn(process.execPath, args, { env: {}, ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  let printed = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const port = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/.exec(printed)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return { url: `http://127.0.0.1:${port}`, stop };
  }
  throw new Error(`${args[0]} ended before it listened: ${printed}`);
}
