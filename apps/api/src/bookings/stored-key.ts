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
  // UTF-16, which tells all texts apart: in UTF-8, one lone surrogate is as good as another.
  return `${hash('sha256', Buffer.from(callerId, 'utf16le'), 'base64url')} ${idempotencyKey}`;
}
