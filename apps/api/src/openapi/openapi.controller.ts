import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { answer, JSON_TYPE } from '../http/answer.js';

/** What {@link OpenApiController} serves: the OpenAPI document of this deployment. */
export const OPEN_API_DOCUMENT = Symbol('OpenAPI document');

/** The OpenAPI document at `/openapi.json`. */
@Controller('openapi.json')
export class OpenApiController {
  private readonly document: string;

  constructor(@Inject(OPEN_API_DOCUMENT) document: object) {
    this.document = JSON.stringify(document);
  }

  @Get()
  read(@Res() response: Response): void {
    answer(response, 200, JSON_TYPE, this.document);
  }
}
