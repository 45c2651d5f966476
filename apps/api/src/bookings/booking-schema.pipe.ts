import type { CreateBookingDto } from '@booking-service/contracts';
import { Injectable, type PipeTransform } from '@nestjs/common';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import { invalidBooking } from '../http/json-body.js';

/** Rejects payloads that break the schema of the deployment. */
@Injectable()
export class BookingSchemaPipe implements PipeTransform<CreateBookingDto> {
  constructor(private readonly schema: BookingSchema) {}

  /** @throws Problem `invalid-booking` */
  transform(payload: CreateBookingDto): CreateBookingDto {
    const errors = this.schema.errorsOf(payload);
    if (errors.length > 0) throw invalidBooking(errors);
    return payload;
  }
}
