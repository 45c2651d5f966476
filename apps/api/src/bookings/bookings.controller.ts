import { hash } from 'node:crypto';
import { type CreateBookingDto, type ListBookingsQuery, operations } from '@booking-service/contracts';
import { All, Controller, Get, Headers, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { BodyPipe } from '../edge/json-body.js';
import { AnyToken, Operation } from '../edge/operation.js';
import { IdempotencyKey, IdempotencyKeyGuard, JsonBody } from '../edge/params.js';
import { QueryPipe } from '../edge/query.js';
import { conditionalReply, JSON_TYPE, Reply } from '../edge/reply.js';
import { queryOf } from '../edge/request.js';
import { methodsOf, replyToOtherMethod } from '../edge/unsupported-methods.js';
import { BookingsService, type CallersKey, type CreatedBooking, type ListedBookings } from './bookings.service.js';
import type { Booking } from './domain/booking.js';

const { listBookings, createBooking, getBooking } = operations;

/** The three operations of the Booking Service Interface (Preview). */
@Controller('v1/bookings')
export class BookingsController {
  constructor(private readonly bookings: BookingsService) {}

  @Get()
  @Operation('listBookings')
  async list(
    @Query({ schema: listBookings.query, pipes: [QueryPipe] }) query: ListBookingsQuery,
    @Headers('If-None-Match') ifNoneMatch: string | undefined,
    @Req() request: Request,
  ): Promise<Reply> {
    return pageReply(await this.bookings.list(query), queryOf(request), ifNoneMatch);
  }

  @Post()
  @Operation('createBooking')
  @UseGuards(IdempotencyKeyGuard)
  async create(
    @JsonBody({ schema: createBooking.body, pipes: [BodyPipe] }) payload: CreateBookingDto,
    @IdempotencyKey() key: CallersKey | undefined,
  ): Promise<Reply> {
    return createReply(await this.bookings.create(payload, key));
  }

  @Get(':booking_id')
  @Operation('getBooking')
  async get(
    @Param('booking_id') bookingId: string,
    @Headers('If-None-Match') ifNoneMatch: string | undefined,
  ): Promise<Reply> {
    const booking = await this.bookings.get(bookingId);
    return conditionalReply({ type: JSON_TYPE, body: booking.json }, etagOf(booking), ifNoneMatch);
  }

  @All()
  @AnyToken()
  otherOnCollection(@Req() request: Request): Reply {
    return replyToOtherMethod(request, methodsOf(listBookings, createBooking));
  }

  @All(':booking_id')
  @AnyToken()
  otherOnBooking(@Req() request: Request): Reply {
    return replyToOtherMethod(request, methodsOf(getBooking));
  }
}

function createReply({ booking, isReplay }: CreatedBooking): Reply {
  const { bookingId, json } = booking;
  const headers = {
    Location: `${createBooking.path}/${bookingId}`,
    ETag: etagOf(booking),
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
  };
  return new Reply(createBooking.success.status, { type: JSON_TYPE, body: json, headers, about: bookingId });
}

/** @param query as the client sent it, since the link to the next page repeats it */
function pageReply(listed: ListedBookings, query: string, ifNoneMatch: string | undefined): Reply {
  const { bookings, nextCursor } = listed;
  const items = bookings.map((booking) => booking.json).join(',');
  const page = `{"bookings":[${items}],"next_cursor":${JSON.stringify(nextCursor)}}`;
  const headers = nextCursor === null ? {} : { Link: `<${nextPage(query, nextCursor)}>; rel="next"` };
  return conditionalReply({ type: JSON_TYPE, body: page, headers }, etagOfPage(listed), ifNoneMatch);
}

/** A strong validator: a booking's JSON never changes, so ids and cursor determine the page (RFC 9110 §8.8.1). */
function etagOfPage({ bookings, nextCursor }: ListedBookings): string {
  const ids = bookings.map(({ bookingId }) => bookingId).join();
  return `"${hash('sha1', `${ids},${nextCursor}`, 'base64url')}"`;
}

function nextPage(query: string, cursor: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `${listBookings.path}?${parameters.toString()}`;
}

/** The id is a strong validator, since a booking never changes (RFC 9110 §8.8.1). */
function etagOf({ bookingId }: Booking): string {
  return `"${bookingId}"`;
}
