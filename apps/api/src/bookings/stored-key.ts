import { hash } from 'node:crypto';

/**
 * The name under which a store has an idempotency key: no two callers meet under one. A key has no space
 * in it, so that none can pass for the key of another caller, nor for one that was sent without a token.
 *
 * @param callerId any text; undefined for whoever sends no token, whose keys are stored as they are
 * @returns at most 299 ASCII characters, whatever the length of the caller's id
 */
export function storedKey(idempotencyKey: string, callerId: string | undefined): string {
  if (callerId === undefined) return idempotencyKey;
  return `${hash('sha256', callerId, 'base64url')} ${idempotencyKey}`;
}
