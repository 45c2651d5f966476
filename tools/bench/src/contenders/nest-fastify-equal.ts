import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
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
  ParseUUIDPipe,
  Post,
  UnprocessableEntityException,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Histogram } from 'prom-client';
import { z } from 'zod';
import { type Booking, BookingsMap, SlotTaken } from './bookings-map.js';

// Nest on Fastify with what the service does for each request: security headers, a request id, a histogram, validation,
// problem details. As a team would write it, with the libraries that it would choose.
const slotSchema = z
  .strictObject({ resource_id: z.string().min(1).max(200), start: z.iso.datetime(), end: z.iso.datetime() })
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
  get(@Param('id', ParseUUIDPipe) id: string): Booking {
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
    try {
      const { slot, ...details } = payload;
      return this.bookings.create({ ...details, ...(slot && { slot }) }, key.data);
    } catch (error) {
      throw error instanceof SlotTaken ? new ConflictException('The slot is taken') : error;
    }
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
    const { name: title, message: detail } = error;
    const { url: instance } = http.getRequest<{ url: string }>();
    const problem = { type: `urn:problem-type:bench:${status}`, title, status, detail, instance };
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
