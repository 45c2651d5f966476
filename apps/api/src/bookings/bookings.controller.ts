import { type CreateBookingDto, type ListBookingsQuery, operations } from '@booking-service/contracts';
import { All, Controller, Get, Headers, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { NoOperation, Operation } from '../http/operation.js';
import { CallerId, IdempotencyKey, JsonBody, QueryText, ValidQuery } from '../http/params.js';
import { conditionalReply, JSON_TYPE, Reply } from '../http/reply.js';
import { methodsOf, otherMethod } from '../http/routes.js';
import type { Booking } from './booking.js';
import { BookingSchemaPipe } from './booking-schema.pipe.js';
import { BookingsService, type CreatedBooking, type ListedBookings } from './bookings.service.js';

const { listBookings, createBooking, getBooking } = operations;

/** The three operations of the Booking Service Interface (Preview). */
@Controller('v1/bookings')
export class BookingsController {
  constructor(private readonly bookings: BookingsService) {}

  @Get()
  @Operation('listBookings')
  async list(@ValidQuery() query: ListBookingsQuery, @QueryText() queryText: string): Promise<Reply> {
    return pageReply(await this.bookings.list(query), queryText);
  }

  @Post()
  @Operation('createBooking')
  async create(
    @JsonBody(BookingSchemaPipe) payload: CreateBookingDto,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @CallerId() callerId: string | undefined,
  ): Promise<Reply> {
    return createReply(await this.bookings.create(payload, idempotencyKey, callerId));
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

function createReply({ booking, isReplay }: CreatedBooking): Reply {
  return new Reply(createBooking.success.status, JSON_TYPE, booking.json, {
    Location: `${createBooking.path}/${booking.bookingId}`,
    ETag: etagOf(booking),
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
  });
}

/** @param queryText the query of this page, as it was sent */
function pageReply({ bookings, nextCursor }: ListedBookings, queryText: string): Reply {
  const items = bookings.map((booking) => booking.json).join(',');
  const page = `{"bookings":[${items}],"next_cursor":${JSON.stringify(nextCursor)}}`;
  const headers = nextCursor === null ? {} : { Link: `<${nextPage(queryText, nextCursor)}>; rel="next"` };
  return new Reply(listBookings.success.status, JSON_TYPE, page, headers);
}

function nextPage(queryText: string, cursor: string): string {
  const query = new URLSearchParams(queryText);
  query.set('cursor', cursor);
  return `${listBookings.path}?${query.toString()}`;
}

/** A booking never changes, so its id is a strong validator of it (RFC 9110 §8.8.1). */
function etagOf({ bookingId }: Booking): string {
  return `"${bookingId}"`;
}
