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

type Payload = z.output<typeof payloadSchema>;
type Booking = Payload & { booking_id: string };

/** Plain maps, which check nothing but overlaps and keys. */
class Bookings {
  private readonly byId = new Map<string, Booking>();
  private readonly byKey = new Map<string, Booking>();
  private readonly newestLast: Booking[] = [];
  /** Windows by resource and day. No slot of the bench crosses midnight. */
  private readonly windows = new Map<string, { start: number; end: number }[]>();

  get(id: string): Booking | undefined {
    return this.byId.get(id);
  }

  list(): Booking[] {
    return this.newestLast.slice(-20).toReversed();
  }

  /** @returns undefined if the slot is taken */
  create(payload: Payload, key: string | undefined): Booking | undefined {
    const first = key === undefined ? undefined : this.byKey.get(key);
    if (first !== undefined) return first;
    if (payload.slot !== undefined && !this.take(payload.slot)) return undefined;
    const booking = { booking_id: randomUUID(), created_at: new Date().toISOString(), ...payload };
    this.byId.set(booking.booking_id, booking);
    this.newestLast.push(booking);
    if (key !== undefined) this.byKey.set(key, booking);
    return booking;
  }

  private take(slot: NonNullable<Payload['slot']>): boolean {
    const [start, end] = [Date.parse(slot.start), Date.parse(slot.end)];
    const day = `${slot.resource_id}|${Math.floor(start / 86_400_000)}`;
    const windows = this.windows.get(day) ?? [];
    if (windows.some((window) => window.start < end && start < window.end)) return false;
    this.windows.set(day, windows);
    windows.push({ start, end });
    return true;
  }
}

@Controller('v1/bookings')
class BookingsController {
  constructor(private readonly bookings: Bookings) {}

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
    const [request, reply] = host.getArgs<[{ url: string }, Reply]>();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const problem = { title: STATUS_CODES[status], status, detail: error.message, instance: request.url };
    reply.status(status).type('application/problem+json').send(problem);
  }
}

@Module({
  controllers: [BookingsController],
  providers: [Bookings, { provide: APP_FILTER, useClass: ProblemFilter }],
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
await app.listen(0, '127.0.0.1');
process.stdout.write(`Booking service (preview) on ${await app.getUrl()}\n`);
