import 'reflect-metadata';
import { once } from 'node:events';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { type BookingSchema, openBookingSchema } from './bookings/booking-schema.js';
import type { StoreModule } from './bookings/bookings.module.js';
import { InMemoryModule } from './bookings/in-memory/in-memory.module.js';
import type { Config } from './config/config.js';
import { corsOptions } from './edge/cors.js';
import { HttpAdapter } from './edge/http-adapter.js';
import { serveDocumentation } from './features/openapi/serve-documentation.js';
import { type Log, nestLogger } from './platform/observability/logger.js';

/** Builds the application, for the service and its tests. @throws Error for an unusable BOOKING_SCHEMA_FILE */
export async function createApp(config: Config, log: Log): Promise<NestExpressApplication> {
  const { auth, corsOrigins, rateLimit, swaggerUi } = config;
  const schema = await schemaOf(config);
  const module = AppModule.forRoot(config, log, schema, await storeModulesOf(config));
  const app = await NestFactory.create<NestExpressApplication>(module, new HttpAdapter(config.server), {
    // `@JsonBody()` reads bodies instead.
    bodyParser: false,
    abortOnError: false,
    logger: nestLogger(log),
  });
  if (corsOrigins !== undefined) app.enableCors(corsOptions(corsOrigins));
  if (rateLimit !== undefined) app.set('trust proxy', rateLimit.trustProxy);
  serveDocumentation(app, { tokens: auth === undefined ? 'none' : 'required', swaggerUi, schema });
  return app;
}

/**
 * Imports the PostgreSQL modules only if they are used: they and the packages for a booking schema would take a fifth
 * of the start-up time.
 */
async function storeModulesOf({ database, events, memoryMaxBookings, shutdown }: Config): Promise<StoreModule[]> {
  if (database === undefined) return [InMemoryModule.forRoot(memoryMaxBookings)];
  const { postgresModules } = await import('./postgres-modules.js');
  return postgresModules(database, events && { ...events, shutdownTimeout: shutdown.timeout });
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
