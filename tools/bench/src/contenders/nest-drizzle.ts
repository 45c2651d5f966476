import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { and, desc, eq, gt, lt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { NestDatabaseController, type Row, Rows } from './nest-database.js';
import { createTable, PAGE, POOL_SIZE } from './pg-bookings.js';

const bookings = pgTable('bookings', {
  bookingId: uuid('booking_id').primaryKey(),
  resourceId: text('resource_id'),
  slotStart: bigint('slot_start', { mode: 'number' }),
  slotEnd: bigint('slot_end', { mode: 'number' }),
  idempotencyKey: text('idempotency_key').unique(),
  json: text('json').notNull(),
});

@Injectable()
class DrizzleRows extends Rows {
  private readonly database = drizzle({
    connection: { connectionString: process.env['DATABASE_URL']!, max: POOL_SIZE },
  });

  async find(bookingId: string): Promise<Row | null> {
    const rows = await this.database.select().from(bookings).where(eq(bookings.bookingId, bookingId));
    return rows[0] ?? null;
  }

  async findByKey(key: string): Promise<Row | null> {
    const rows = await this.database.select().from(bookings).where(eq(bookings.idempotencyKey, key));
    return rows[0] ?? null;
  }

  newest(): Promise<Row[]> {
    return this.database.select().from(bookings).orderBy(desc(bookings.bookingId)).limit(PAGE);
  }

  async isTaken(resourceId: string, start: number, end: number): Promise<boolean> {
    const overlaps = and(eq(bookings.resourceId, resourceId), lt(bookings.slotStart, end), gt(bookings.slotEnd, start));
    const rows = await this.database.select({ id: bookings.bookingId }).from(bookings).where(overlaps).limit(1);
    return rows.length > 0;
  }

  async insert(row: Row): Promise<void> {
    await this.database.insert(bookings).values(row);
  }
}

@Module({ controllers: [NestDatabaseController], providers: [{ provide: Rows, useClass: DrizzleRows }] })
class NestDrizzleModule {}

await createTable('look');
const app = await NestFactory.create(NestDrizzleModule, { logger: ['error', 'warn'] });
await app.listen(Number(process.env['PORT']), String(process.env['HOST']));
