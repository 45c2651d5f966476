import 'reflect-metadata';
import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { openBookingSchema, type BookingSchema } from './booking-schema/booking-schema.js';
import type { Config } from './config.js';
import { HttpAdapter } from './http/http-adapter.js';
import { Metrics } from './operations/metrics.js';

/**
 * Builds the application, whole: what runs, what is tested and what is verified all come from here.
 *
 * @throws InvalidBookingSchema
 */
export async function createApp(config: Config): Promise<NestExpressApplication> {
  const adapter = new HttpAdapter();
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(config, await bookingSchema(config)),
    adapter,
    {
      // Bodies are read by the handler that wants one, and strictly (http/json-body.ts).
      bodyParser: false,
      abortOnError: false,
      logger: ['error', 'warn'],
    },
  );
  app.enableVersioning({ type: VersioningType.URI });
  adapter.observeAnswers(app.get(Metrics).observe);
  return app;
}

/** Ajv is loaded only where there is a schema for it. */
async function bookingSchema({ bookingSchemaFile }: Config): Promise<BookingSchema> {
  if (bookingSchemaFile === undefined) return openBookingSchema;
  const { readBookingSchema } = await import('./booking-schema/read-booking-schema.js');
  return readBookingSchema(bookingSchemaFile);
}
