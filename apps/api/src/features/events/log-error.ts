import { Logger } from '@nestjs/common';
import { DatabaseUnavailable, isAbsence } from '../../platform/database/postgres-errors.js';

/** Milliseconds during which the same error is not logged again. */
const QUIET_TIME = 3_600_000;

const logger = new Logger('webhooks');
const loggedAt = new Map<string, number>();

/** Logs an error of the work in the background, each once an hour. That the database is unavailable is logged elsewhere. */
export function logError(error: unknown): void {
  if (isAbsence(error)) return;
  const { message, stack } = (error instanceof DatabaseUnavailable ? error.cause : error) as Error;
  const now = performance.now();
  if (now - (loggedAt.get(message) ?? -QUIET_TIME) < QUIET_TIME) return;
  loggedAt.set(message, now);
  if (error instanceof DatabaseUnavailable) logger.error(`A statement for events failed: ${message}.`);
  else logger.error(error, stack);
}
