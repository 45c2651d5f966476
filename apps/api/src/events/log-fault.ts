import { Logger } from '@nestjs/common';
import { DatabaseUnavailable } from '../database/postgres-errors.js';

const logger = new Logger('webhooks');

/** Logs an error of the work in the background, unless the database is unavailable, which is logged where that is detected. */
export function logFault(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) logger.error(error, (error as Error).stack);
}
