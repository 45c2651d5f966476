import { Controller, Get } from '@nestjs/common';
import { Reply } from '../http/reply.js';
import { Metrics } from './metrics.js';

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async read(): Promise<Reply> {
    const registry = await this.metrics.registry();
    return new Reply(200, registry.contentType, await registry.metrics());
  }
}
