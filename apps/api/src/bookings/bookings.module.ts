import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { UnknownPathsController } from '../edge/unsupported-methods.js';
import { BookingSchema } from './booking-schema.js';
import { BookingsController } from './bookings.controller.js';
import { BookingsService } from './bookings.service.js';

export type StoreModule = Type | DynamicModule;

@Module({})
export class BookingsModule {
  /** @param storeModules modules that export the `BookingsRepository`, and a `BookingsListener` if there is one */
  static forRoot(schema: BookingSchema, storeModules: StoreModule[]): DynamicModule {
    return {
      module: BookingsModule,
      imports: storeModules,
      // Routes are tried in this order: the second controller rejects all other paths under /v1.
      controllers: [BookingsController, UnknownPathsController],
      providers: [BookingsService, { provide: BookingSchema, useValue: schema }],
    };
  }
}
