import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from './auth/auth-settings.js';
import { TokenVerifier } from './auth/token-verifier.js';
import { BookingsRepository } from './bookings/bookings.repository.js';
import { readConfig } from './config.js';
import { createApp } from './create-app.js';
import { createLog, type Log } from './observability/logger.js';
import { PREVIEW_VERSION } from './openapi/preview-version.js';
import { Metrics } from './observability/metrics.js';
import { stopOnSignals } from './observability/shutdown.js';
import type { Tracing } from './tracing/tracing.js';

/** Runs the service until a signal ends it. A start that fails is one line on standard error and exit code 1. */
export async function serve(tracing?: Tracing): Promise<void> {
  try {
    await start(tracing);
  } catch (error) {
    process.stderr.write(`The booking service cannot start: ${startFault(error)}\n`);
    process.exit(1);
  }
}

async function start(tracing: Tracing | undefined): Promise<void> {
  const config = readConfig(process.env);
  const log = await createLog(config.log, tracing?.logFields);
  const app = await createApp(config, log);
  await app.init();
  // Not `app.listen`, which logs a failure before it throws it: the user would read it twice.
  const server: Server = app.getHttpServer().listen(config.port, config.host);
  await once(server, 'listening');
  endOnUncaught(log);
  stopOnSignals(app, config.shutdown, log, async () => tracing?.stop());
  const { address, port } = server.address() as AddressInfo;
  const url = `http://${urlHost(config.host)}:${port}`;
  const store = app.get(BookingsRepository).description;
  const authentication = config.auth === undefined ? 'none' : app.get(TokenVerifier).description;
  log.info(
    {
      version: PREVIEW_VERSION,
      store,
      authentication,
      host: config.host,
      port,
      docs: config.swaggerUi ? `${url}/docs` : undefined,
    },
    `Booking service (preview) on ${url}`,
  );
  if (config.auth === undefined && !isLoopback(address)) log.warn(openToAll(address));
  // Whoever reads them sees the process from its start on; the first answer has not waited for it.
  await app.get(Metrics).registry();
}

/** Node would print all members of the error, and those can be payload. */
function endOnUncaught(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'The service ends by an error that nothing caught');
    process.exit(1);
  });
}

/** The host as a browser on this machine would write it. */
function urlHost(host: string): string {
  if (host === '127.0.0.1' || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function openToAll(address: string): string {
  return `Authentication is off, and the service listens on ${address}: whoever can reach it can read and make bookings. Set AUTH_API_KEYS_FILE or AUTH_OIDC_ISSUER.`;
}

function startFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `the address is in use. Set PORT or HOST to another one (${message}).`;
  return message;
}
