import { NestFactory } from '@nestjs/core';
import { NestBookingsModule } from './nest-bookings.js';

// Stock Nest on Express: defaults only, except that it does not log its start.
const app = await NestFactory.create(NestBookingsModule, { logger: ['error', 'warn'] });
await app.listen(Number(process.env['PORT']), String(process.env['HOST']));
