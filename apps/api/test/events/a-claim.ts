import type { ClaimRequest } from '../../src/features/events/delivery-statements.js';

export const doors = { name: 'doors', url: 'https://hooks.example', prefix: '', secrets: [] };

/** A claim of up to 16 events for {@link doors}. */
export function aClaim(request: Partial<ClaimRequest> = {}): ClaimRequest {
  const { name, url } = doors;
  return { name, url, limit: 16, claimTime: 20_000, isThorough: true, ...request };
}
