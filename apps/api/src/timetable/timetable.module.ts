import { All, Controller, type DynamicModule, Get, Module, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { otherMethod } from '../http/routes.js';
import { PAGE_HEADERS, PAGE_METHODS, pagePolicy, Reply } from '../http/reply.js';
import { TimetablePage } from './timetable-page.js';

/** Serves the timetable, and redirects browsers to it. */
@Controller()
export class TimetableController {
  constructor(private readonly timetable: TimetablePage) {}

  /** @throws NotFoundException for clients that do not prefer HTML: there is nothing else at this path */
  @Get()
  root(@Req() request: Request): Reply {
    if (request.accepts('application/problem+json', 'application/json', 'text/html') !== 'text/html') {
      throw new NotFoundException();
    }
    // Relative, so that it also works below a prefix that a proxy removes.
    return new Reply(302, undefined, '', ['Location', 'timetable', 'Vary', 'Accept', 'Content-Length', '0']);
  }

  @Get('timetable')
  page(@Req() { headers }: Request, @Res({ passthrough: true }) response: Response): Promise<Reply> {
    response.set({ ...PAGE_HEADERS, 'Content-Security-Policy': pagePolicy() });
    return this.timetable.page(headers['if-none-match']);
  }

  @Get('timetable/:file')
  file(@Req() { headers }: Request, @Param('file') file: string): Promise<Reply> {
    this.checkFile(file);
    return this.timetable.file(file, headers['if-none-match']);
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
