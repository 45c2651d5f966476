import 'reflect-metadata';
import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Config } from './config.js';
import { HttpAdapter } from './http/http-adapter.js';
import { RateLimiter } from './rate-limit/rate-limiter.js';
import { Metrics } from './operations/metrics.js';

/** Builds the application, whole: what runs, what is tested and what is verified all come from here. */
export async function createApp(config: Config): Promise<NestExpressApplication> {
  const adapter = new HttpAdapter(config.server);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), adapter, {
    // Bodies are read by the handler that wants one, and strictly (http/json-body.ts).
    bodyParser: false,
    abortOnError: false,
    logger: ['error', 'warn'],
  });
  app.enableVersioning({ type: VersioningType.URI });
  adapter.observeAnswers(app.get(Metrics).observe);
  if (config.trustProxy > 0) app.set('trust proxy', config.trustProxy);
  if (config.rateLimit !== undefined) app.get(Metrics).registry.registerMetric(app.get(RateLimiter).uncounted);
  return app;
}
