import 'reflect-metadata';
import {
  Body,
  ConflictException,
  Controller,
  Get,
  Headers,
  NotFoundException,
  Param,
  ParseUUIDPipe,
  Post,
} from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Booking, Payload } from './bookings-map.js';
import { rowOf } from './pg-bookings.js';

export type Row = ReturnType<typeof rowOf>;

/** What the two of Nest with a library for the database have in common: all but the library. */
export abstract class Rows {
  abstract find(bookingId: string): Promise<Row | null>;
  abstract findByKey(key: string): Promise<Row | null>;
  abstract newest(): Promise<Row[]>;
  abstract isTaken(resourceId: string, start: number, end: number): Promise<boolean>;
  abstract insert(row: Row): Promise<void>;
}

/** The operations as a tutorial would write them: a look for the key, a look for the slot, then the insert. */
@Controller('v1/bookings')
export class NestDatabaseController {
  constructor(private readonly rows: Rows) {}

  @Get()
  async list(): Promise<{ bookings: Booking[] }> {
    return { bookings: (await this.rows.newest()).map(toBooking) };
  }

  @Get(':id')
  async get(@Param('id', ParseUUIDPipe) id: string): Promise<Booking> {
    const row = await this.rows.find(id);
    if (row === null) throw new NotFoundException();
    return toBooking(row);
  }

  @Post()
  async create(@Body() payload: Payload, @Headers('idempotency-key') key: string | undefined): Promise<Booking> {
    const first = key === undefined ? null : await this.rows.findByKey(key);
    if (first !== null) return toBooking(first);
    const row = rowOf(uuidv7(), payload, key);
    const { resourceId, slotStart, slotEnd } = row;
    if (resourceId !== null && (await this.rows.isTaken(resourceId, slotStart!, slotEnd!))) {
      throw new ConflictException('The slot is taken');
    }
    await this.rows.insert(row);
    return toBooking(row);
  }
}

function toBooking({ json }: Row): Booking {
  return JSON.parse(json) as Booking;
}
