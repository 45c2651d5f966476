import { Logger } from '@nestjs/common';
import { DatabaseUnavailable, isAbsence } from '../database/postgres-errors.js';

/** Milliseconds during which the same error is not logged again. */
const QUIET_TIME = 3_600_000;

const logger = new Logger('webhooks');
let last = { message: '', at: 0 };

/** Logs an error of the work in the background, unless the database is unavailable, which is logged where that is detected. */
export function logError(error: unknown): void {
  if (isAbsence(error)) return;
  const { message, stack } = (error instanceof DatabaseUnavailable ? error.cause : error) as Error;
  if (message === last.message && performance.now() - last.at < QUIET_TIME) return;
  last = { message, at: performance.now() };
  if (error instanceof DatabaseUnavailable) logger.error(`A statement for events failed: ${message}.`);
  else logger.error(error, stack);
}
