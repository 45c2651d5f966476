import {
  createBookingSchema,
  listBookingsQuerySchema,
  type ListBookingsQuery,
  operations,
} from '@booking-service/contracts';
import { All, Controller, Headers, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import { callerIdOf } from '../auth/token-verifier.js';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import { methodsAt, otherMethod, routePath } from '../http/routes.js';
import { idempotencyKeyOf } from '../http/request-headers.js';
import { invalidBooking, jsonBodyOf } from '../http/json-body.js';
import { StrictQuery } from '../http/query.js';
import type { Reply } from '../http/reply.js';
import { Operation } from '../openapi/operation.decorator.js';
import { bookingReply, createdReply, pageReply } from './booking-replies.js';
import { BookingsService } from './bookings.service.js';

const { listBookings, getBooking } = operations;

/** The three operations of the Booking Service Interface (Preview). */
@Controller()
export class BookingsController {
  constructor(
    private readonly bookings: BookingsService,
    private readonly schema: BookingSchema,
  ) {}

  @Operation('listBookings')
  async list(
    @StrictQuery({ as: listBookingsQuerySchema }) query: ListBookingsQuery,
    @Req() request: Request,
  ): Promise<Reply> {
    return pageReply(request, await this.bookings.list(query));
  }

  @Operation('createBooking')
  async create(@Req() request: Request): Promise<Reply> {
    // Before the body is asked for: a key that is rejected costs no reading.
    const idempotencyKey = idempotencyKeyOf(request);
    const payload = await jsonBodyOf(request, createBookingSchema);
    const faults = this.schema.faultsOf(payload);
    if (faults.length > 0) throw invalidBooking(faults);
    return createdReply(await this.bookings.create(payload, idempotencyKey, callerIdOf(request)));
  }

  @Operation('getBooking')
  async get(
    @Param('booking_id') bookingId: string,
    @Headers('If-None-Match') ifNoneMatch: string | undefined,
  ): Promise<Reply> {
    return bookingReply(await this.bookings.get(bookingId), ifNoneMatch);
  }

  @All([routePath(listBookings.path), routePath(getBooking.path)])
  other(@Req() request: Request): Reply {
    const isOne = Object.keys(request.params).length > 0;
    return otherMethod(request, methodsAt(isOne ? getBooking.path : listBookings.path));
  }
}
