import 'reflect-metadata';
import {
  Body,
  ConflictException,
  Controller,
  Get,
  Headers,
  Module,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { type Booking, BookingsMap, type Payload } from './bookings-map.js';

/** The operations as a tutorial of Nest would write them. */
@Controller('v1/bookings')
export class NestBookingsController {
  constructor(private readonly bookings: BookingsMap) {}

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
  create(@Body() payload: Payload, @Headers('idempotency-key') key: string | undefined): Booking {
    const booking = this.bookings.create(payload, key);
    if (booking === undefined) throw new ConflictException('The slot is taken');
    return booking;
  }
}

@Module({ controllers: [NestBookingsController], providers: [BookingsMap] })
export class NestBookingsModule {}
