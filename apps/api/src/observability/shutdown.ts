import type { Server } from 'node:http';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Log } from './logger.js';

export interface ShutdownSettings {
  /** Milliseconds for which new connections are still accepted, while the service says that it is not ready. */
  readonly delay: number;
  /** Milliseconds that requests in flight get after that. */
  readonly timeout: number;
}

/** How far the process is on its way to its end. */
export class Lifecycle {
  /** `stopping` completes what is in flight and takes no more; `cutting` closes what is still open. */
  state: 'serving' | 'stopping' | 'cutting' = 'serving';
}

/**
 * Ends the process in order on the first SIGTERM or SIGINT, and at once on the second.
 *
 * @param flush runs last, before exit code 0
 */
export function stopOnSignals(
  app: INestApplication<Server>,
  settings: ShutdownSettings,
  log: Log,
  flush?: () => Promise<void>,
): void {
  let isStopping = false;
  const stop = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (isStopping) {
      log.warn({ signal }, 'Stopped at once by a second signal');
      process.exit(128 + constants.signals[signal]);
    }
    isStopping = true;
    log.info({ signal, delay_ms: settings.delay, timeout_ms: settings.timeout }, 'Stopping');
    end(app, settings, log)
      .then(flush)
      .then(
        () => exit(log, 0),
        (error: unknown) => {
          log.error({ err: error }, 'The stop failed');
          exit(log, 1);
        },
      );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
}

/** Ends the process by an error that nothing caught. Node would print all members of it, and those can be payload. */
export function endOnUncaught(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'The service ends by an error that nothing caught');
    process.exit(1);
  });
}

async function end(app: INestApplication<Server>, { delay, timeout }: ShutdownSettings, log: Log): Promise<void> {
  const lifecycle = app.get(Lifecycle);
  lifecycle.state = 'stopping';
  await sleep(delay);
  // Node enforces no time limits on requests once the server closes: a client that never ends its request is cut off here.
  const timer = setTimeout(() => {
    lifecycle.state = 'cutting';
    log.warn('Cutting off what is still in flight');
    app.getHttpServer().closeAllConnections();
  }, timeout);
  await app.close();
  clearTimeout(timer);
}

function exit(log: Log, code: number): never {
  log.info({ code }, 'Stopped');
  process.exit(code);
}
