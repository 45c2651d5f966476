import { type DynamicModule, Module } from '@nestjs/common';
import { TimetablePage } from './timetable-page.js';
import { TimetableController } from './timetable.controller.js';

@Module({})
export class TimetableModule {
  static forRoot(resources: readonly string[] = []): DynamicModule {
    return {
      module: TimetableModule,
      controllers: [TimetableController],
      providers: [{ provide: TimetablePage, useFactory: () => new TimetablePage(resources) }],
    };
  }
}
