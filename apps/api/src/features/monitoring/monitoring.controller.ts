import { All, Controller, Get, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Registry } from 'prom-client';
import { Public } from '../../edge/operation.js';
import { PAGE_METHODS } from '../../edge/pages.js';
import { problemReply, unavailable } from '../../edge/problem.js';
import { JSON_TYPE, Reply } from '../../edge/reply.js';
import { replyToOtherMethod } from '../../edge/unsupported-methods.js';
import { Readiness } from '../../platform/observability/readiness.js';

const OK = new Reply(200, { type: JSON_TYPE, body: '{"status":"ok"}' });

@Controller()
@Public()
export class MonitoringController {
  constructor(
    private readonly readiness: Readiness,
    private readonly registry: Registry,
  ) {}

  @Get('health/live')
  live(): Reply {
    return OK;
  }

  /** Returns a 503 instead of throwing it, which would log every probe: `Readiness` logs a lost dependency once. */
  @Get('health/ready')
  ready(): Reply {
    if (this.readiness.state !== 'serving') return notReady('The service is stopping.');
    const { missing } = this.readiness;
    return missing.length === 0 ? OK : notReady(`Not ready: ${missing.join(', ')}.`);
  }

  @Get('metrics')
  async metrics(): Promise<Reply> {
    return new Reply(200, { type: this.registry.contentType, body: await this.registry.metrics() });
  }

  @All(['health/live', 'health/ready', 'metrics'])
  other(@Req() request: Request): Reply {
    return replyToOtherMethod(request, PAGE_METHODS);
  }
}

function notReady(detail: string): Reply {
  return problemReply(unavailable(detail), '/health/ready');
}
