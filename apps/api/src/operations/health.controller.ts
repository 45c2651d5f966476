import { Controller, Get } from '@nestjs/common';
import { BookingsRepository } from '../bookings/bookings.repository.js';

/** For whatever keeps the process running: is it alive, and should it get requests now. */
@Controller('health')
export class HealthController {
  constructor(private readonly bookings: BookingsRepository) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws StoreUnavailable, which is answered as 503 */
  @Get('ready')
  async ready(): Promise<{ status: 'ok' }> {
    await this.bookings.checkReady();
    return { status: 'ok' };
  }
}
