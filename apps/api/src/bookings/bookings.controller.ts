import { createBookingSchema, listBookingsQuerySchema, type ListBookingsQuery } from '@booking-service/contracts';
import { All, Controller, Get, Headers, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { callerIdOf } from '../auth/caller-id.js';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import { methodsAt, otherMethod } from '../http/allowed-methods.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { invalidBooking, jsonBodyOf } from '../http/json-body.js';
import { StrictQuery } from '../http/query.js';
import type { Reply } from '../http/reply.js';
import { bookingReply, createdReply, pageReply } from './booking-replies.js';
import { BookingsService } from './bookings.service.js';

/** The three operations of the Booking Service Interface (Preview). */
@Controller({ path: 'bookings', version: '1' })
export class BookingsController {
  constructor(
    private readonly bookings: BookingsService,
    private readonly schema: BookingSchema,
  ) {}

  @Get()
  async list(
    @StrictQuery({ as: listBookingsQuerySchema }) query: ListBookingsQuery,
    @Req() request: Request,
  ): Promise<Reply> {
    return pageReply(request, await this.bookings.list(query));
  }

  @Post()
  async create(@Req() request: Request): Promise<Reply> {
    // Before the body is asked for: a key that is rejected costs no reading.
    const idempotencyKey = idempotencyKeyOf(request);
    const payload = await jsonBodyOf(request, createBookingSchema);
    const faults = this.schema.faultsOf(payload);
    if (faults.length > 0) throw invalidBooking(faults);
    return createdReply(await this.bookings.create(payload, idempotencyKey, callerIdOf(request)));
  }

  @Get(':booking_id')
  async get(
    @Param('booking_id') bookingId: string,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
  ): Promise<Reply> {
    return bookingReply(await this.bookings.get(bookingId), ifNoneMatch);
  }

  @All(['', ':booking_id'])
  other(@Req() request: Request): Reply {
    const isOne = Object.keys(request.params).length > 0;
    return otherMethod(request, methodsAt(isOne ? '/v1/bookings/{booking_id}' : '/v1/bookings'));
  }
}
