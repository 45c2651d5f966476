import { createServer } from 'node:net';
import { listen } from './listen.js';

/** A port on 127.0.0.1 that was free a moment ago, for programs that cannot choose a port and report it. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}
