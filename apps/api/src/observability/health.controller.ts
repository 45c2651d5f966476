import { Controller, Get } from '@nestjs/common';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { Problem } from '../http/problem.js';
import { Lifecycle } from './lifecycle.js';

/** Seconds after which a caller may try again, on another replica or on this one started anew. */
const RETRY_AFTER = 1;

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

  /** @throws StoreUnavailable, Problem `unavailable`; both are answered as 503 */
  @Get('ready')
  async ready(): Promise<{ status: 'ok' }> {
    if (this.lifecycle.state !== 'serving') {
      throw new Problem('unavailable', 'The service is stopping.', { headers: { 'Retry-After': String(RETRY_AFTER) } });
    }
    await this.bookings.checkReady();
    return { status: 'ok' };
  }
}
