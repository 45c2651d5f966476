import { All, Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../edge/operation.js';
import { PAGE_METHODS, pageHeaders, redirect } from '../../edge/pages.js';
import type { Reply } from '../../edge/reply.js';
import { replyToOtherMethod } from '../../edge/unsupported-methods.js';
import { type Coding, PAGE, PATHS, TimetablePage } from './timetable-page.js';

@Controller()
@Public()
export class TimetableController {
  constructor(private readonly timetable: TimetablePage) {}

  /** Redirects browsers to the timetable. @throws NotFoundException for clients that do not prefer HTML */
  @Get()
  root(@Req() request: Request, @Res({ passthrough: true }) response: Response): Reply {
    if (request.accepts('application/problem+json', 'application/json', 'text/html') !== 'text/html') {
      throw new NotFoundException();
    }
    response.vary('Accept');
    return redirect(302, 'timetable');
  }

  @Get(PATHS)
  file(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<Reply> {
    response.vary('Accept-Encoding');
    if (request.path === PAGE) response.set(pageHeaders());
    return this.timetable.reply(request.path, codingFor(request), request.headers['if-none-match']);
  }

  @All(PATHS)
  other(@Req() request: Request): Reply {
    return replyToOtherMethod(request, PAGE_METHODS);
  }
}

/** The coding that compresses best, of those that the client accepts (RFC 9110 §12.5.3). */
function codingFor(request: Request): Coding {
  const codings = ['br', 'gzip'] as const;
  return codings.find((coding) => request.acceptsEncodings(coding) === coding) ?? 'identity';
}
