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
 * Builds the application, whole: what runs, what is tested and what is verified all come from here.
 *
 * @throws InvalidBookingSchema
 */
export async function createApp(config: Config, log: Log): Promise<NestExpressApplication> {
  const module = await AppModule.forRoot(config, log);
  const app = await NestFactory.create<NestExpressApplication>(module, new HttpAdapter(config.server), {
    // Bodies are read by the handler that wants one, and strictly (`jsonBodyOf`).
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(log),
  });
  app.get(Documentation).describe(app);
  if (config.corsOrigins.length > 0) app.enableCors(corsOptions(config.corsOrigins));
  if (config.trustProxy > 0) app.set('trust proxy', config.trustProxy);
  return app;
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
