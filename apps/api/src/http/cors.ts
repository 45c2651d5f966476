import { operations, responseHeaders } from '@booking-service/contracts';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';

/** Seconds for which a browser need not ask again. */
const PREFLIGHT_MAX_AGE = 600;

/**
 * What browsers let the pages of some origins do (Fetch, "CORS protocol"). Nothing of a browser's own, no
 * cookie, lets anyone in here, so that any header may be sent and no credentials are asked for.
 */
export function corsOptions(origins: readonly string[]): CorsOptions {
  return {
    origin: [...origins],
    methods: [...new Set(Object.values(operations).map(({ method }) => method))],
    exposedHeaders: Object.keys(responseHeaders),
    maxAge: PREFLIGHT_MAX_AGE,
    // The response to OPTIONS is that of the path, with `Allow`; here it only gets its headers.
    preflightContinue: true,
  };
}
