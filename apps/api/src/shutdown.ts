import type { Server } from 'node:http';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Log } from './platform/observability/logger.js';
import { Readiness } from './platform/observability/readiness.js';

interface ShutdownSettings {
  /** Milliseconds for which the service still accepts connections while it reports that it is not ready. */
  readonly delay: number;
  /** Milliseconds that requests in flight may take after `delay`. */
  readonly timeout: number;
}

/** Stops the service gracefully on the first SIGTERM or SIGINT, and exits immediately on the second. */
export function stopOnSignals(app: INestApplication<Server>, settings: ShutdownSettings, log: Log): void {
  let isStopping = false;
  const stop = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (isStopping) {
      log.warn({ signal }, 'Stopped immediately by a second signal');
      process.exit(128 + constants.signals[signal]);
    }
    isStopping = true;
    log.info({ signal, delay_ms: settings.delay, timeout_ms: settings.timeout }, 'Stopping');
    stopGracefully(app, settings, log).then(
      () => exit(log, 0),
      (error: unknown) => {
        log.error({ err: error }, 'Shutdown failed');
        exit(log, 1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
}

/** Logs an uncaught error and exits. Node would print all members of the error, which may include a payload. */
export function endOnUncaught(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'Uncaught error: the service exits');
    process.exit(1);
  });
}

async function stopGracefully(
  app: INestApplication<Server>,
  { delay, timeout }: ShutdownSettings,
  log: Log,
): Promise<void> {
  const readiness = app.get(Readiness);
  readiness.state = 'stopping';
  await sleep(delay);
  const timer = setTimeout(() => {
    readiness.state = 'cutting';
    log.warn('Cutting off requests that are still in flight');
    app.getHttpServer().closeAllConnections();
  }, timeout);
  await app.close();
  clearTimeout(timer);
}

function exit(log: Log, code: number): never {
  log.info({ code }, 'Stopped');
  process.exit(code);
}
