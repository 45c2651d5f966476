import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import helmet from '@fastify/helmet';
import {
  type ArgumentsHost,
  BadRequestException,
  Body,
  Catch,
  ConflictException,
  Controller,
  type ExceptionFilter,
  Get,
  Headers,
  HttpException,
  Module,
  NotFoundException,
  Param,
  Post,
  UnprocessableEntityException,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Histogram } from 'prom-client';
import { z } from 'zod';
import { type Booking, BookingsMap } from './bookings-map.js';

// Nest on Fastify with what the service does for each request, as a team would write it with the libraries that it would
// choose: docs/performance.md says what it does and what it leaves out.
const instant = z.iso.datetime({ offset: true });
const slotSchema = z
  .strictObject({ resource_id: z.string().min(1).max(200), start: instant, end: instant })
  .refine(({ start, end }) => Date.parse(start) < Date.parse(end), 'The slot must end after it starts.');
const payloadSchema = z.looseObject({ slot: slotSchema.optional() });
const keySchema = z
  .string()
  .regex(/^[!-~]{1,255}$/)
  .optional();

@Controller('v1/bookings')
class BookingsController {
  constructor(private readonly bookings: BookingsMap) {}

  @Get()
  list(): { bookings: Booking[] } {
    return { bookings: this.bookings.list() };
  }

  @Get(':id')
  get(@Param('id') id: string): Booking {
    const booking = this.bookings.get(id);
    if (booking === undefined) throw new NotFoundException();
    return booking;
  }

  @Post()
  create(@Body() body: unknown, @Headers('idempotency-key') header: unknown): Booking {
    const { data: payload, error } = payloadSchema.safeParse(body);
    if (error) throw new UnprocessableEntityException(z.prettifyError(error));
    const key = keySchema.safeParse(header);
    if (!key.success) throw new BadRequestException('The Idempotency-Key is invalid');
    const booking = this.bookings.create(payload, key.data);
    if (booking === undefined) throw new ConflictException('The slot is taken');
    return booking;
  }
}

interface Reply {
  status(code: number): Reply;
  type(mediaType: string): Reply;
  send(body: object): void;
}

@Catch()
class ProblemFilter implements ExceptionFilter<Error> {
  catch(error: Error, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const { url: instance } = http.getRequest<{ url: string }>();
    const problem = { title: STATUS_CODES[status], status, detail: error.message, instance };
    http.getResponse<Reply>().status(status).type('application/problem+json').send(problem);
  }
}

@Module({
  controllers: [BookingsController],
  providers: [BookingsMap, { provide: APP_FILTER, useClass: ProblemFilter }],
})
class AppModule {}

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Seconds to the end of the response',
  labelNames: ['method', 'route', 'status'],
});
const adapter = new FastifyAdapter({ requestIdHeader: 'x-request-id', genReqId: () => randomUUID() });
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: ['error', 'warn'] });
await app.register(helmet);
adapter
  .getInstance()
  .addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    done();
  })
  .addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    duration.observe({ method, route: routeOptions.url ?? '', status: statusCode }, elapsedTime / 1_000);
    done();
  });
await app.listen(Number(process.env['PORT']), String(process.env['HOST']));
