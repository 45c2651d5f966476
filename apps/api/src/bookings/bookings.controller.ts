import { createBookingSchema, listBookingsQuerySchema, operations } from '@booking-service/contracts';
import { All, Controller, Get, Headers, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { conditionalReply, JSON_TYPE, Reply } from '../http/reply.js';
import { type CallersRequest, idempotencyKeyOf, queryOf } from '../http/request-head.js';
import { Problem } from '../http/problem.js';
import { invalidBooking, jsonBodyOf } from '../http/json-body.js';
import { NoOperation, Operation } from '../http/operation.js';
import { methodsOf, otherMethod } from '../http/routes.js';
import { readQuery } from '../http/query.js';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import { etagOf, toSlotDto } from './booking.js';
import type { CreateOutcome } from './bookings.repository.js';
import { BookingsService, type ListedBookings } from './bookings.service.js';

const { listBookings, createBooking, getBooking } = operations;

/** The three operations of the Booking Service Interface (Preview). */
@Controller('v1/bookings')
export class BookingsController {
  constructor(
    private readonly bookings: BookingsService,
    private readonly schema: BookingSchema,
  ) {}

  @Get()
  @Operation('listBookings')
  async list(@Req() request: Request): Promise<Reply> {
    const query = readQuery(listBookingsQuerySchema, queryOf(request));
    return pageReply(request, await this.bookings.list(query));
  }

  @Post()
  @Operation('createBooking')
  async create(@Req() request: CallersRequest): Promise<Reply> {
    // Before the body is requested: a request with an invalid key costs no reading.
    const idempotencyKey = idempotencyKeyOf(request);
    const payload = await jsonBodyOf(request, createBookingSchema);
    const faults = this.schema.errorsOf(payload);
    if (faults.length > 0) throw invalidBooking(faults);
    return createReply(await this.bookings.create(payload, idempotencyKey, request.caller?.id));
  }

  @Get(':booking_id')
  @Operation('getBooking')
  async get(
    @Param('booking_id') bookingId: string,
    @Headers('If-None-Match') ifNoneMatch: string | undefined,
  ): Promise<Reply> {
    const booking = await this.bookings.get(bookingId);
    return conditionalReply(JSON_TYPE, booking.json, etagOf(booking), ifNoneMatch);
  }

  @All()
  @NoOperation()
  otherOnCollection(@Req() request: Request): Reply {
    return otherMethod(request, methodsOf(listBookings, createBooking));
  }

  @All(':booking_id')
  @NoOperation()
  otherOnBooking(@Req() request: Request): Reply {
    return otherMethod(request, methodsOf(getBooking));
  }
}

/** @throws Problem `slot-taken`, `idempotency-key-reused` */
function createReply(outcome: CreateOutcome): Reply {
  if (outcome.kind === 'key_reused') throw new Problem('idempotency-key-reused');
  if (outcome.kind === 'slot_taken') {
    throw new Problem('slot-taken', undefined, { members: { conflicting_slot: toSlotDto(outcome.held) } });
  }
  const { kind, booking } = outcome;
  const headers = ['Location', `${createBooking.path}/${booking.bookingId}`, 'ETag', etagOf(booking)];
  if (kind === 'replayed') headers.push('Idempotent-Replayed', 'true');
  return new Reply(createBooking.success.status, JSON_TYPE, booking.json, headers);
}

function pageReply(request: Request, { bookings, nextCursor }: ListedBookings): Reply {
  const headers = nextCursor === null ? [] : ['Link', `<${nextPage(queryOf(request), nextCursor)}>; rel="next"`];
  const items = bookings.map((booking) => booking.json).join(',');
  const page = `{"bookings":[${items}],"next_cursor":${JSON.stringify(nextCursor)}}`;
  return new Reply(listBookings.success.status, JSON_TYPE, page, headers);
}

function nextPage(givenQuery: string, cursor: string): string {
  const query = new URLSearchParams(givenQuery);
  query.set('cursor', cursor);
  return `${listBookings.path}?${query.toString()}`;
}
