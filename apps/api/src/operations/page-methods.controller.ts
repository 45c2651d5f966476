import { All, Controller, Options, Res } from '@nestjs/common';
import type { Response } from 'express';
import { answerAllow, refuseMethod } from '../http/allowed-methods.js';

/** The pages of the service outside `/v1`. */
const PAGES = ['health/live', 'health/ready', 'metrics', 'openapi.json', 'docs', 'docs/start.js'];
const ALLOW = 'GET, HEAD, OPTIONS';

/** The methods that no page takes. Comes after the controllers of the pages. */
@Controller()
export class PageMethodsController {
  @Options(PAGES)
  options(@Res() response: Response): void {
    answerAllow(response, ALLOW);
  }

  @All(PAGES)
  other(): never {
    refuseMethod(ALLOW);
  }
}
