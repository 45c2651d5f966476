import type { OnModuleInit } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { BookingSchema } from '../booking-schema/booking-schema.js';
import type { Tokens } from './describe-operation.js';
import { openApiDocument } from './openapi-document.js';
import { guardPages, swaggerUi } from './swagger-ui.js';

/** What is particular to the documentation of a deployment. */
export interface DocumentationSettings {
  readonly tokens: Tokens;
  /** Whether Swagger UI is at `/docs`; the document is at `/openapi.json` in any case. */
  readonly swaggerUi: boolean;
  readonly schema: BookingSchema;
}

/**
 * Serves the OpenAPI document and Swagger UI. Nest calls `onModuleInit` when the routes of all controllers are
 * registered and before the 404 handler is, so that no request to an operation passes a route of these.
 */
export class Documentation implements OnModuleInit {
  /** The application whose controllers are documented; set before it is initialized. */
  app!: NestExpressApplication;

  constructor(private readonly settings: DocumentationSettings) {}

  onModuleInit(): void {
    const { app, settings } = this;
    guardPages(app.getHttpAdapter().getInstance(), settings.swaggerUi);
    SwaggerModule.setup('docs', app, () => openApiDocument(app, settings.tokens, settings.schema), {
      ...swaggerUi,
      ui: settings.swaggerUi,
      raw: ['json'],
      jsonDocumentUrl: 'openapi.json',
    });
  }
}
