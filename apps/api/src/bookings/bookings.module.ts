import { type DynamicModule, Module } from '@nestjs/common';
import { BookingSchema } from './booking-schema.js';
import { UnknownPathsController } from '../edge/other-requests.js';
import { BookingsController } from './bookings.controller.js';
import { BookingsService } from './bookings.service.js';

/** The three operations. */
@Module({})
export class BookingsModule {
  /**
   * @param schema what the deployment requires of create payloads
   * @param stores export the `BookingsRepository`, and a `BookingsListener` where endpoints are notified
   */
  static forRoot(schema: BookingSchema, stores: DynamicModule[]): DynamicModule {
    return {
      module: BookingsModule,
      imports: stores,
      controllers: [BookingsController, UnknownPathsController],
      providers: [BookingsService, { provide: BookingSchema, useValue: schema }],
    };
  }
}
