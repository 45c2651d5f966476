import 'reflect-metadata';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { operations, responseHeaders } from '@booking-service/contracts';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { type BookingSchema, openBookingSchema } from './bookings/booking-schema.js';
import type { StoreModule } from './bookings/bookings.module.js';
import { BookingsRepository } from './bookings/domain/bookings.repository.js';
import { InMemoryModule } from './bookings/in-memory/in-memory.module.js';
import type { Config } from './config/config.js';
import { HttpAdapter } from './edge/http-adapter.js';
import { isLoopback } from './features/auth/auth-settings.js';
import { TokenVerifier } from './features/auth/token-verifier.js';
import { PREVIEW_VERSION } from './features/openapi/preview-version.js';
import { serveDocumentation } from './features/openapi/serve-documentation.js';
import { type Log, nestLogger } from './platform/observability/logger.js';

/** Builds the application, for the service and its tests. @throws Error for an unusable BOOKING_SCHEMA_FILE */
export async function createApp(config: Config, log: Log): Promise<NestExpressApplication> {
  const { auth, corsOrigins, swaggerUi, trustProxy } = config;
  const schema = await schemaOf(config);
  const module = AppModule.forRoot(config, log, schema, await storeModulesOf(config));
  const app = await NestFactory.create<NestExpressApplication>(module, new HttpAdapter(config.server), {
    // `@JsonBody()` reads bodies instead.
    bodyParser: false,
    abortOnError: false,
    logger: nestLogger(log),
  });
  if (corsOrigins.length > 0) app.enableCors(corsOptions(corsOrigins));
  if (trustProxy > 0) app.set('trust proxy', trustProxy);
  serveDocumentation(app, { tokens: auth === undefined ? 'none' : 'required', swaggerUi, schema });
  return app;
}

/**
 * Imports the PostgreSQL modules only if they are used: they and the packages for a booking schema would take a fifth
 * of the start-up time.
 */
async function storeModulesOf({ database, events, memoryMaxBookings }: Config): Promise<StoreModule[]> {
  if (database === undefined) return [InMemoryModule.forRoot(memoryMaxBookings)];
  const { postgresModules } = await import('./postgres-modules.js');
  return postgresModules(database, events);
}

/** Reads the schema before Nest creates providers: Nest would log an error in a provider a second time. */
async function schemaOf({ bookingSchemaFile }: Config): Promise<BookingSchema> {
  if (bookingSchemaFile === undefined) return openBookingSchema;
  const { readBookingSchema } = await import('./features/booking-schema/read-booking-schema.js');
  return readBookingSchema(bookingSchemaFile);
}

/** @throws Error that names HOST and PORT if they cannot be used */
export async function listen(app: NestExpressApplication, { host, port }: Config): Promise<void> {
  // `app.listen` would also log the error. Without a host, Node listens on `::`, or on IPv4 if there is no IPv6.
  const server = app.getHttpServer().listen(port, host === '::' ? undefined : host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(`HOST=${host} and PORT=${port} cannot be used (${reason}). Set another one.`, { cause });
  }
}

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
      events: events.file ?? 'none',
      booking_schema: bookingSchemaFile ?? 'none',
      cors: corsOrigins.join(', ') || 'none',
      host: config.host,
      port,
      docs: swaggerUi ? `${url}/docs` : 'none',
      timetable: timetable === undefined ? 'none' : `${url}/timetable`,
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

/** Seconds that browsers may cache a preflight response. */
const PREFLIGHT_MAX_AGE = 600;

/** Lets pages of these origins send any header, but no credentials, since the service uses no cookies. */
function corsOptions(origins: readonly string[]): Parameters<NestExpressApplication['enableCors']>[0] {
  return {
    origin: [...origins],
    methods: [...new Set(Object.values(operations).map(({ method }) => method))],
    exposedHeaders: Object.keys(responseHeaders),
    maxAge: PREFLIGHT_MAX_AGE,
    // The route itself responds to OPTIONS, with `Allow`.
    preflightContinue: true,
  };
}

function urlHost(host: string): string {
  if (host === '127.0.0.1' || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
