import { type ConformanceOptions, type ConformanceReport, runConformance } from '../src/index.js';
import type { LocalServer } from './local-server.js';

/** Starts a service, checks it, and stops it. */
export async function judged(
  service: LocalServer,
  options: Omit<ConformanceOptions, 'url'> = {},
): Promise<ConformanceReport> {
  const url = await service.start();
  try {
    return await runConformance({ url, ...options });
  } finally {
    await service.stop();
  }
}

/** The checks that a service fails. */
export async function failuresOf(service: LocalServer): Promise<string[]> {
  const { results } = await judged(service);
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
}
