import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { BookingsRepository } from './bookings/domain/bookings.repository.js';
import type { Config } from './config/config.js';
import { isLoopback } from './features/auth/auth-settings.js';
import { TokenVerifier } from './features/auth/token-verifier.js';
import { PREVIEW_VERSION } from './features/openapi/preview-version.js';
import type { Log } from './platform/observability/logger.js';

/**
 * Logs how the service runs, and what is off: it shows a name that was misspelt. Warns if other machines need no token.
 */
export function logStart(app: NestExpressApplication, config: Config, log: Log): void {
  const { auth, bookingSchemaFile, corsOrigins, events, rateLimit, swaggerUi, timetable } = config;
  const bound = app.getHttpServer().address() as AddressInfo | string;
  // A path, where a host of applications such as Passenger listens in place of the service.
  const { address, port } = typeof bound === 'string' ? { address: bound, port: config.port } : bound;
  const url = `http://${urlHost(config.host)}:${port}`;
  log.info(
    {
      version: PREVIEW_VERSION,
      store: app.get(BookingsRepository).description,
      authentication: auth === undefined ? 'none' : app.get(TokenVerifier).description,
      rate_limit: rateLimit === undefined ? 'none' : `${rateLimit.limit} in ${rateLimit.seconds} s`,
      events: events?.file ?? 'none',
      booking_schema: bookingSchemaFile ?? 'none',
      cors: corsOrigins?.join(', ') ?? 'none',
      host: config.host,
      port,
      docs: swaggerUi ? `${url}/docs` : 'none',
      timetable: timetable.isOn ? `${url}/timetable` : 'none',
    },
    `Booking service (preview) on ${url}`,
  );
  if (auth === undefined && !isLoopback(address)) {
    log.warn(
      `Authentication is off, and the service listens on ${address}: anyone who can reach it can read and create ` +
        'bookings. Set AUTH_API_KEYS_FILE or AUTH_OIDC_ISSUER.',
    );
  }
}

function urlHost(host: string): string {
  if (host === '127.0.0.1' || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
