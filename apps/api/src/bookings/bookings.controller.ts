import { listBookingsQuerySchema, type ListBookingsQuery } from '@booking-service/contracts';
import { All, Controller, Get, Headers, Options, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { answerAllow, refuseMethod } from '../http/allowed-methods.js';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import { invalidBooking } from '../http/json-body.js';
import { StrictQuery } from '../http/strict-query.js';
import { allowedAt, answerBooking, answerCreated, answerList } from './booking-answers.js';
import { BookingsService } from './bookings.service.js';
import { CreateRequest } from './create-request.js';

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
    @Res() response: Response,
  ): Promise<void> {
    answerList(request, response, await this.bookings.list(query));
  }

  @Post()
  async create(
    @CreateRequest() { callerId, idempotencyKey, payload }: CreateRequest,
    @Res() response: Response,
  ): Promise<void> {
    const faults = this.schema.faultsOf(payload);
    if (faults.length > 0) throw invalidBooking(faults);
    answerCreated(response, await this.bookings.create(payload, idempotencyKey, callerId));
  }

  @Get(':booking_id')
  async get(
    @Param('booking_id') bookingId: string,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    answerBooking(response, await this.bookings.get(bookingId), ifNoneMatch);
  }

  @Options()
  collectionOptions(@Res() response: Response): void {
    answerAllow(response, allowedAt('/v1/bookings'));
  }

  @Options(':booking_id')
  bookingOptions(@Res() response: Response): void {
    answerAllow(response, allowedAt('/v1/bookings/{booking_id}'));
  }

  @All()
  otherOnCollection(): never {
    refuseMethod(allowedAt('/v1/bookings'));
  }

  @All(':booking_id')
  otherOnBooking(): never {
    refuseMethod(allowedAt('/v1/bookings/{booking_id}'));
  }
}
