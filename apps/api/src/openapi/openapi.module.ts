import { type DynamicModule, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import type { Tokens } from './describe-operation.js';
import { openApiDocument } from './openapi-document.js';
import { guardPages, swaggerUi } from './swagger-ui.js';

/** What is particular to the documentation of a deployment. */
export interface DocumentationSettings {
  tokens: Tokens;
  /** Whether Swagger UI is at `/docs`; the document is at `/openapi.json` in any case. */
  swaggerUi: boolean;
}

const SETTINGS = Symbol('documentation settings');

/**
 * Serves the OpenAPI document and Swagger UI. Nest calls `onModuleInit` when the routes of all controllers are
 * registered and before the 404 handler is, so that no request to an operation passes a route of these.
 */
@Injectable()
export class Documentation implements OnModuleInit {
  private app: NestExpressApplication | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: DocumentationSettings,
    private readonly schema: BookingSchema,
  ) {}

  /** Names the application whose controllers are documented, before it is initialized. */
  describe(app: NestExpressApplication): void {
    this.app = app;
  }

  onModuleInit(): void {
    const { app, settings, schema } = this;
    if (app === undefined) return;
    guardPages(app.getHttpAdapter().getInstance(), settings.swaggerUi);
    SwaggerModule.setup('docs', app, () => openApiDocument(app, settings.tokens, schema), {
      ...swaggerUi,
      ui: settings.swaggerUi,
      raw: ['json'],
      jsonDocumentUrl: 'openapi.json',
    });
  }
}

@Module({})
export class OpenApiModule {
  /** @param schema exports the {@link BookingSchema} */
  static forRoot(settings: DocumentationSettings, schema: DynamicModule): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [schema],
      providers: [{ provide: SETTINGS, useValue: settings }, Documentation],
    };
  }
}
