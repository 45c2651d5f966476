import 'reflect-metadata';
import { operations, responseHeaders } from '@booking-service/contracts';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { HttpAdapter } from './http/http-adapter.js';
import { type Log, NestLog } from './observability/logger.js';
import { Documentation } from './openapi/openapi.module.js';

/**
 * Builds the whole application. The service, its tests and the verification of contracts all use this.
 *
 * @throws InvalidBookingSchema
 */
export async function createApp(config: Config, log: Log): Promise<NestExpressApplication> {
  const module = await AppModule.forRoot(config, log);
  const app = await NestFactory.create<NestExpressApplication>(module, new HttpAdapter(config.server), {
    // Handlers read bodies themselves, and strictly (`jsonBodyOf`).
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(log),
  });
  app.get(Documentation).describe(app);
  if (config.corsOrigins.length > 0) app.enableCors(corsOptions(config.corsOrigins));
  if (config.trustProxy > 0) app.set('trust proxy', config.trustProxy);
  return app;
}

/** Seconds that a browser may cache the response to a preflight request. */
const PREFLIGHT_MAX_AGE = 600;

/**
 * What browsers allow the pages of these origins (Fetch, "CORS protocol"). The service accepts no cookies, so pages may
 * send any header and credentials are not allowed.
 */
export function corsOptions(origins: readonly string[]): CorsOptions {
  return {
    origin: [...origins],
    methods: [...new Set(Object.values(operations).map(({ method }) => method))],
    exposedHeaders: Object.keys(responseHeaders),
    maxAge: PREFLIGHT_MAX_AGE,
    // The route responds to OPTIONS, with `Allow`; CORS only adds headers.
    preflightContinue: true,
  };
}
