import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { openBookingSchema, type BookingSchema } from './booking-schema/booking-schema.js';
import type { Config } from './config.js';
import { corsOptions } from './http/cors.js';
import { HttpAdapter } from './http/http-adapter.js';
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
    // Bodies are read by the handler that wants one, and strictly (http/json-body.ts).
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
