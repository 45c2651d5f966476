import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { BookingsRepository } from '../domain/bookings.repository.js';
import { measured } from '../measured-bookings.js';
import { InMemoryBookingsRepository } from './in-memory-bookings.repository.js';

@Module({})
export class InMemoryModule {
  static forRoot(maxBookings: number): DynamicModule {
    const useFactory = (registry: Registry) => measured(new InMemoryBookingsRepository(maxBookings), registry);
    return {
      module: InMemoryModule,
      providers: [{ provide: BookingsRepository, useFactory, inject: [Registry] }],
      exports: [BookingsRepository],
    };
  }
}
