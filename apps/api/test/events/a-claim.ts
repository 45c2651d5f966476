import { recordOf } from '../../src/features/events/attempt.js';
import type { ClaimRequest } from '../../src/features/events/delivery-statements.js';

export const doors = { name: 'doors', url: 'https://hooks.example', prefix: '', from: 'now' as const, secrets: [] };

/** A claim of up to 16 events for {@link doors}, without a record of attempts unless `request` has one. */
export function aClaim(request: Partial<ClaimRequest> = {}): ClaimRequest {
  const { name, url } = doors;
  return { ...recordOf([]), name, url, places: 16, claimTime: 20_000, isThorough: true, ...request };
}
