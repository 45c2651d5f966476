import { Controller, Get } from '@nestjs/common';
import { Reply } from 'nest-http';
import { Metrics } from './metrics.js';

/** The metrics in the text format of Prometheus. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async read(): Promise<Reply> {
    const { registry } = this.metrics;
    return new Reply(200, registry.contentType, await registry.metrics());
  }
}
