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
  ParseUUIDPipe,
  Post,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { EntitySchema, LessThan, MoreThan, type Repository } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Booking, Payload } from './bookings-map.js';
import { createTable, PAGE, POOL_SIZE, rowOf } from './pg-bookings.js';

type Row = ReturnType<typeof rowOf>;

const toNumber = { to: (value: number) => value, from: (text: string | null) => text && Number(text) };

const BookingEntity = new EntitySchema<Row>({
  name: 'bookings',
  columns: {
    bookingId: { name: 'booking_id', type: 'uuid', primary: true },
    resourceId: { name: 'resource_id', type: 'text', nullable: true },
    slotStart: { name: 'slot_start', type: 'bigint', nullable: true, transformer: toNumber },
    slotEnd: { name: 'slot_end', type: 'bigint', nullable: true, transformer: toNumber },
    idempotencyKey: { name: 'idempotency_key', type: 'text', nullable: true, unique: true },
    json: { type: 'text' },
  },
});

/** The operations as a tutorial would write them: a query for the key, a query for the slot, then the insert. */
@Controller('v1/bookings')
class BookingsController {
  constructor(@InjectRepository(BookingEntity) private readonly rows: Repository<Row>) {}

  @Get()
  async list(): Promise<{ bookings: Booking[] }> {
    const newest = await this.rows.find({ order: { bookingId: 'DESC' }, take: PAGE });
    return { bookings: newest.map(toBooking) };
  }

  @Get(':id')
  async get(@Param('id', ParseUUIDPipe) bookingId: string): Promise<Booking> {
    const row = await this.rows.findOneBy({ bookingId });
    if (row === null) throw new NotFoundException();
    return toBooking(row);
  }

  @Post()
  async create(@Body() payload: Payload, @Headers('idempotency-key') key: string | undefined): Promise<Booking> {
    const first = key === undefined ? null : await this.rows.findOneBy({ idempotencyKey: key });
    if (first !== null) return toBooking(first);
    const row = rowOf(uuidv7(), payload, key);
    if (await this.isTaken(row)) throw new ConflictException('The slot is taken');
    await this.rows.save(row);
    return toBooking(row);
  }

  private async isTaken({ resourceId, slotStart, slotEnd }: Row): Promise<boolean> {
    if (resourceId === null) return false;
    return this.rows.existsBy({ resourceId, slotStart: LessThan(slotEnd!), slotEnd: MoreThan(slotStart!) });
  }
}

function toBooking({ json }: Row): Booking {
  return JSON.parse(json) as Booking;
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env['DATABASE_URL']!,
      entities: [BookingEntity],
      extra: { max: POOL_SIZE },
    }),
    TypeOrmModule.forFeature([BookingEntity]),
  ],
  controllers: [BookingsController],
})
class AppModule {}

await createTable('check');
const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
await app.listen(Number(process.env['PORT']), String(process.env['HOST']));
