import { All, Controller, type MiddlewareConsumer, NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/** Every path of /v1 that is no operation's, so that guards judge requests to it too. The last controller of /v1. */
@Controller('v1')
export class UnknownPathsController {
  @All(['', '{*path}'])
  reject(): never {
    throw new NotFoundException();
  }
}

/**
 * Has `admit` run for paths under /v1 that cannot be decoded. Express rejects those while it looks for their route,
 * before any guard, so a guard that is to judge every request of /v1 judges them here.
 */
export function atUndecodablePaths(
  consumer: MiddlewareConsumer,
  admit: (request: Request, response: Response) => Promise<void>,
): void {
  consumer
    .apply(async (request: Request, response: Response, next: NextFunction) => {
      try {
        if (!isDecodable(request.path)) await admit(request, response);
      } catch (error) {
        // Thrown here, it would be answered for the path as it is beneath `/v1`.
        next(error);
        return;
      }
      next();
    })
    .forRoutes('v1');
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
