import { isPrivilegeMissing } from '../database/postgres-errors.js';

/** In one sentence or more, what failed: what the database said where it is at fault, and which role may do it. */
export function describeFailure(error: unknown): string {
  const { cause, message } = error as Error;
  const fault = cause instanceof Error ? cause.message : message;
  return isPrivilegeMissing(cause) ? `${fault}. Run this with the DATABASE_URL of the owner of the tables.` : fault;
}
