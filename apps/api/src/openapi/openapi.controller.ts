import { Controller, Get, Inject } from '@nestjs/common';
import { JSON_TYPE, Reply } from '../http/reply.js';

/** How {@link OpenApiController} gets the OpenAPI document of this deployment. */
export const OPEN_API_DOCUMENT = Symbol('OpenAPI document');

/** The OpenAPI document at `/openapi.json`. It is made when it is first read, so that no start waits for it. */
@Controller('openapi.json')
export class OpenApiController {
  private document: Promise<string> | undefined;

  constructor(@Inject(OPEN_API_DOCUMENT) private readonly make: () => Promise<object>) {}

  @Get()
  async read(): Promise<Reply> {
    this.document ??= this.make().then((document) => JSON.stringify(document));
    return new Reply(200, JSON_TYPE, await this.document);
  }
}
