import { HttpAdapter } from './http/http-adapter.js';
import 'reflect-metadata';
import { operations, responseHeaders } from '@booking-service/contracts';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { type BookingSchema, openBookingSchema } from './booking-schema/booking-schema.js';
import type { Config } from './config/config.js';
import { type Log, NestLog } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { RequestLog, requestObserver } from './observability/request-log.js';
import { Documentation } from './openapi/openapi.module.js';

/**
 * Builds the application, whole: what runs, what is tested and what is verified all come from here.
 *
 * @throws InvalidBookingSchema
 */
export async function createApp(config: Config, log: Log): Promise<NestExpressApplication> {
  const adapter = new HttpAdapter(config.server);
  const module = await AppModule.forRoot(config, log, await bookingSchema(config));
  const app = await NestFactory.create<NestExpressApplication>(module, adapter, {
    // Bodies are read by the handler that wants one, and strictly (`jsonBodyOf`).
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(log),
  });
  app.get(Documentation).describe(app);
  const metrics = app.get(Metrics);
  adapter.observeRequests(requestObserver(metrics, app.get(RequestLog)));
  metrics.watchServer(adapter, config.server.maxConnections);
  if (config.corsOrigins.length > 0) app.enableCors(corsOptions(config.corsOrigins));
  if (config.trustProxy > 0) app.set('trust proxy', config.trustProxy);
  return app;
}

/** Ajv is loaded only where there is a schema for it. */
async function bookingSchema({ bookingSchemaFile }: Config): Promise<BookingSchema> {
  if (bookingSchemaFile === undefined) return openBookingSchema;
  const { readBookingSchema } = await import('./booking-schema/read-booking-schema.js');
  return readBookingSchema(bookingSchemaFile);
}

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
