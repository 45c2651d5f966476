import { operations, responseHeaders } from '@booking-service/contracts';
import type { NestExpressApplication } from '@nestjs/platform-express';

/** Seconds that browsers may cache a preflight response. */
const PREFLIGHT_MAX_AGE = 600;

/** Lets pages of these origins send any header, but no credentials, since the service uses no cookies. */
export function corsOptions(origins: readonly string[]): Parameters<NestExpressApplication['enableCors']>[0] {
  return {
    origin: [...origins],
    methods: [...new Set(Object.values(operations).map(({ method }) => method))],
    exposedHeaders: Object.keys(responseHeaders),
    maxAge: PREFLIGHT_MAX_AGE,
    // The route itself responds to OPTIONS, with `Allow`.
    preflightContinue: true,
  };
}
