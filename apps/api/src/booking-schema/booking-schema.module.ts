import { type DynamicModule, Module } from '@nestjs/common';
import { BookingSchema, openBookingSchema } from './booking-schema.js';

@Module({})
export class BookingSchemaModule {
  /**
   * @param file a JSON Schema that create payloads have to match as well; every member is free where it is not set
   * @throws InvalidBookingSchema
   */
  static async forRoot(file: string | undefined): Promise<DynamicModule> {
    // Read before Nest makes providers: it would log an error of theirs beside the line of the failed start.
    const schema = file === undefined ? openBookingSchema : await readSchema(file);
    return {
      module: BookingSchemaModule,
      providers: [{ provide: BookingSchema, useValue: schema }],
      exports: [BookingSchema],
    };
  }
}

/** Ajv is loaded only where there is a schema for it. */
async function readSchema(file: string): Promise<BookingSchema> {
  const { readBookingSchema } = await import('./read-booking-schema.js');
  return readBookingSchema(file);
}
