import { All, Controller, Req } from '@nestjs/common';
import type { Request } from 'express';
import { otherMethod, PAGE_METHODS, type Reply } from 'nest-http';

/** The pages of the service outside `/v1`, but those of the documentation. */
const PAGES = ['health/live', 'health/ready', 'metrics'];

/** The methods that no page takes. Comes after the controllers of the pages. */
@Controller()
export class PageMethodsController {
  @All(PAGES)
  other(@Req() request: Request): Reply {
    return otherMethod(request, PAGE_METHODS);
  }
}
