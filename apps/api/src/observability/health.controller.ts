import { Controller, Get } from '@nestjs/common';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { RETRY_AFTER_SECONDS } from '../expected-error.js';
import { Problem } from '../http/problem.js';
import { Lifecycle } from './shutdown.js';

/** For whatever keeps the process running: is it alive, and should it get requests now. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly lifecycle: Lifecycle,
  ) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws StoreUnavailable, Problem `unavailable`: both are 503 */
  @Get('ready')
  async ready(): Promise<{ status: 'ok' }> {
    if (this.lifecycle.state !== 'serving') {
      throw new Problem('unavailable', 'The service is stopping.', {
        headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
      });
    }
    await this.bookings.checkReady();
    return { status: 'ok' };
  }
}
