import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { answer } from '../http/answer.js';
import { Metrics } from './metrics.js';

/** The metrics in the text format of Prometheus. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async read(@Res() response: Response): Promise<void> {
    const { registry } = this.metrics;
    answer(response, 200, registry.contentType, await registry.metrics());
  }
}
