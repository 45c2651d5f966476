import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import helmet from '@fastify/helmet';
import { type ArgumentsHost, Body, Catch, Controller, Get, HttpException, Module, Param, Post } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Histogram } from 'prom-client';
import { z } from 'zod';

// Nest on Fastify, doing what the service does for each request, as a team would write it with libraries of its choice.
// docs/performance.md says what is left out.
const instant = z.iso.datetime({ offset: true });
const slotSchema = z
  .strictObject({ resource_id: z.string().min(1).max(200), start: instant, end: instant })
  .refine(({ start, end }) => Date.parse(start) < Date.parse(end), 'The slot must end after it starts.');
const payloadSchema = z.looseObject({ slot: slotSchema.optional() });

type Booking = z.output<typeof payloadSchema> & { booking_id: string };

@Controller('v1/bookings')
class BookingsController {
  private readonly byId = new Map<string, Booking>();
  private readonly newestLast: Booking[] = [];
  /** Windows by resource and day. No slot of the bench crosses midnight. */
  private readonly taken = new Map<string, { start: number; end: number }[]>();

  @Get()
  list(): { bookings: Booking[] } {
    return { bookings: this.newestLast.slice(-20).toReversed() };
  }

  @Get(':id')
  get(@Param('id') id: string): Booking {
    const booking = this.byId.get(id);
    if (booking === undefined) throw new HttpException('There is no such booking', 404);
    return booking;
  }

  @Post()
  create(@Body() body: unknown): Booking {
    const { data: payload, error } = payloadSchema.safeParse(body);
    if (error) throw new HttpException(z.prettifyError(error), 422);
    if (payload.slot !== undefined) this.take(payload.slot);
    const booking = { booking_id: randomUUID(), created_at: new Date().toISOString(), ...payload };
    this.byId.set(booking.booking_id, booking);
    this.newestLast.push(booking);
    return booking;
  }

  private take(slot: z.output<typeof slotSchema>): void {
    const start = Date.parse(slot.start);
    const end = Date.parse(slot.end);
    const day = `${slot.resource_id}|${Math.floor(start / 86_400_000)}`;
    const taken = this.taken.get(day) ?? [];
    if (taken.some((each) => each.start < end && start < each.end)) throw new HttpException('The slot is taken', 409);
    this.taken.set(day, taken);
    taken.push({ start, end });
  }
}

@Catch()
class ProblemFilter {
  catch(error: Error, host: ArgumentsHost): void {
    const [{ url: instance }, reply] = host.getArgs<[{ url: string }, never]>();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    adapter.setHeader(reply, 'Content-Type', 'application/problem+json');
    adapter.reply(reply, { title: STATUS_CODES[status], status, detail: error.message, instance }, status);
  }
}

@Module({ controllers: [BookingsController], providers: [{ provide: APP_FILTER, useClass: ProblemFilter }] })
class AppModule {}

const name = 'http_request_duration_seconds';
const duration = new Histogram({ name, help: 'Seconds to the response', labelNames: ['method', 'route', 'status'] });
const adapter = new FastifyAdapter({ requestIdHeader: 'x-request-id', genReqId: () => randomUUID() });
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: ['error', 'warn'] });
await app.register(helmet);
adapter
  .getInstance()
  .addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id))
  .addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) =>
    duration.observe({ method, route: routeOptions.url ?? '', status: statusCode }, elapsedTime / 1_000),
  );
await app.listen(0, '127.0.0.1');
process.stdout.write(`Booking service (preview) on ${await app.getUrl()}\n`);
