import { All, Controller, Options, Res } from '@nestjs/common';
import type { Response } from 'express';
import { answerAllow, PAGE_METHODS, refuseMethod } from './allowed-methods.js';

/** The pages of the service outside `/v1`, but those of Swagger UI. */
const PAGES = ['health/live', 'health/ready', 'metrics', 'openapi.json'];

/** The methods that no page takes. Comes after the controllers of the pages. */
@Controller()
export class PageMethodsController {
  @Options(PAGES)
  options(@Res() response: Response): void {
    answerAllow(response, PAGE_METHODS);
  }

  @All(PAGES)
  other(): never {
    refuseMethod(PAGE_METHODS);
  }
}
