import { type DynamicModule, Module } from '@nestjs/common';
import { BookingSchema } from './booking-schema.js';
import { UnknownPathsController } from '../edge/unsupported-methods.js';
import { BookingsController } from './bookings.controller.js';
import { BookingsService } from './bookings.service.js';

@Module({})
export class BookingsModule {
  /** @param storeModules export the `BookingsRepository`, and the `BookingsListener` if there is one */
  static forRoot(schema: BookingSchema, storeModules: DynamicModule[]): DynamicModule {
    return {
      module: BookingsModule,
      imports: storeModules,
      controllers: [BookingsController, UnknownPathsController],
      providers: [BookingsService, { provide: BookingSchema, useValue: schema }],
    };
  }
}
