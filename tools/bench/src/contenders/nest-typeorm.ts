import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { EntitySchema, LessThan, MoreThan, type Repository } from 'typeorm';
import { NestDatabaseController, type Row, Rows } from './nest-database.js';
import { createTable, PAGE, POOL_SIZE } from './pg-bookings.js';

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

@Injectable()
class TypeOrmRows extends Rows {
  constructor(@InjectRepository(BookingEntity) private readonly repository: Repository<Row>) {
    super();
  }

  find(bookingId: string): Promise<Row | null> {
    return this.repository.findOneBy({ bookingId });
  }

  findByKey(idempotencyKey: string): Promise<Row | null> {
    return this.repository.findOneBy({ idempotencyKey });
  }

  newest(): Promise<Row[]> {
    return this.repository.find({ order: { bookingId: 'DESC' }, take: PAGE });
  }

  isTaken(resourceId: string, start: number, end: number): Promise<boolean> {
    return this.repository.existsBy({ resourceId, slotStart: LessThan(end), slotEnd: MoreThan(start) });
  }

  async insert(row: Row): Promise<void> {
    await this.repository.save(row);
  }
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
  controllers: [NestDatabaseController],
  providers: [{ provide: Rows, useClass: TypeOrmRows }],
})
class NestTypeOrmModule {}

await createTable('look');
const app = await NestFactory.create(NestTypeOrmModule, { logger: ['error', 'warn'] });
await app.listen(Number(process.env['PORT']), String(process.env['HOST']));
