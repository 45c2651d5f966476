import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from './auth/https-or-loopback.js';
import { TokenVerifier } from './auth/token-verifier.js';
import { BookingsRepository } from './bookings/bookings.repository.js';
import { readConfig } from './config.js';
import { createApp } from './create-app.js';

/** Milliseconds that requests in flight get to end after SIGTERM or SIGINT. A second signal ends the process at once. */
const SHUTDOWN_LIMIT = 10_000;

try {
  const config = readConfig(process.env);
  const app = await createApp(config);
  await app.init();
  // Not `app.listen`, which logs a failure before it throws it: the user would read it twice.
  const server: Server = app.getHttpServer().listen(config.port, config.host);
  await once(server, 'listening');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      // Node keeps no time limits on requests once it closes: a client that never ends its request is cut off here.
      setTimeout(() => server.closeAllConnections(), SHUTDOWN_LIMIT).unref();
      void app.close().then(() => process.exit(0));
    });
  }
  const { address, port } = server.address() as AddressInfo;
  const url = `http://${urlHost(config.host)}:${port}`;
  process.stdout.write(
    `Booking service (preview) on ${url}\nDocumentation on ${url}/docs\nStore: ${app.get(BookingsRepository).description}\n`,
  );
  if (config.auth !== undefined) process.stdout.write(`Authentication: ${app.get(TokenVerifier).description}\n`);
  else if (!isLoopback(address)) process.stderr.write(`${openToAll(address)}\n`);
} catch (error) {
  process.stderr.write(`The booking service cannot start: ${startFault(error)}\n`);
  process.exit(1);
}

/** The host as a browser on this machine would write it. */
function urlHost(host: string): string {
  if (host === '127.0.0.1' || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function openToAll(address: string): string {
  return `Warning: authentication is off, and the service listens on ${address}: whoever can reach it can read and make bookings. Set AUTH_API_KEYS_FILE or AUTH_OIDC_ISSUER.`;
}

function startFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `the address is in use. Set PORT or HOST to another one (${message}).`;
  return message;
}
