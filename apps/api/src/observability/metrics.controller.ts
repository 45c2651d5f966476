import { All, Controller, Get, Req } from '@nestjs/common';
import type { Request } from 'express';
import { otherMethod } from '../http/routes.js';
import { PAGE_METHODS, Reply } from '../http/reply.js';
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

  @All()
  other(@Req() request: Request): Reply {
    return otherMethod(request, PAGE_METHODS);
  }
}
