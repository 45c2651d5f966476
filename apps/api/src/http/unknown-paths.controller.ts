import { All, Controller, NotFoundException } from '@nestjs/common';

/** Every path of /v1 that is no operation's, so that guards judge requests to it too. The last controller of /v1. */
@Controller('v1')
export class UnknownPathsController {
  @All(['', '{*path}'])
  reject(): never {
    throw new NotFoundException();
  }
}
