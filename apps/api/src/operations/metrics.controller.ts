import { Controller, Get, Header } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Metrics } from './metrics.js';

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Header('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE)
  read(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
