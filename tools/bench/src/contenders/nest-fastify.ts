import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestBookingsModule } from './nest-bookings.js';

// Stock Nest on Fastify: defaults only, except that it does not log its start.
const logger: ('error' | 'warn')[] = ['error', 'warn'];
const app = await NestFactory.create<NestFastifyApplication>(NestBookingsModule, new FastifyAdapter(), { logger });
await app.listen(Number(process.env['PORT']), String(process.env['HOST']));
