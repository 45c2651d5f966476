import { All, Controller, type DynamicModule, Get, Module, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { otherMethod } from '../http/routes.js';
import { PAGE_HEADERS, PAGE_METHODS, pagePolicy, Reply } from '../http/reply.js';
import { type Coding, CODINGS, TimetablePage } from './timetable-page.js';

/** Serves the timetable, and redirects browsers to it. */
@Controller()
export class TimetableController {
  constructor(private readonly timetable: TimetablePage) {}

  /** @throws NotFoundException for clients that do not prefer HTML: there is nothing else at this path */
  @Get()
  root(@Req() request: Request, @Res({ passthrough: true }) response: Response): Reply {
    if (request.accepts('application/problem+json', 'application/json', 'text/html') !== 'text/html') {
      throw new NotFoundException();
    }
    response.vary('Accept');
    // Relative, so that it also works below a prefix that a proxy removes.
    return new Reply(302, undefined, '', ['Location', 'timetable', 'Content-Length', '0']);
  }

  @Get('timetable')
  page(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<Reply> {
    response.set({ ...PAGE_HEADERS, 'Content-Security-Policy': pagePolicy() }).vary('Accept-Encoding');
    return this.timetable.page(codingFor(request), request.headers['if-none-match']);
  }

  @Get('timetable/:file')
  file(
    @Req() request: Request,
    @Param('file') file: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Reply> {
    this.checkFile(file);
    response.vary('Accept-Encoding');
    return this.timetable.file(file, codingFor(request), request.headers['if-none-match']);
  }

  @All('timetable')
  otherOfPage(@Req() request: Request): Reply {
    return otherMethod(request, PAGE_METHODS);
  }

  @All('timetable/:file')
  otherOfFile(@Req() request: Request, @Param('file') file: string): Reply {
    this.checkFile(file);
    return otherMethod(request, PAGE_METHODS);
  }

  private checkFile(file: string): void {
    if (!this.timetable.isFile(file)) throw new NotFoundException();
  }
}

/** The preferred coding of those that the client accepts (RFC 9110 §12.5.3). */
function codingFor(request: Request): Coding {
  return CODINGS.find((coding) => request.acceptsEncodings(coding) === coding) ?? 'identity';
}

@Module({})
export class TimetableModule {
  static forRoot(resources: readonly string[]): DynamicModule {
    return {
      module: TimetableModule,
      controllers: [TimetableController],
      providers: [{ provide: TimetablePage, useValue: new TimetablePage(resources) }],
    };
  }
}
