import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './openapi-document.js';
import { PREVIEW_VERSION } from './preview-version.js';

/** Serves the OpenAPI document at `/openapi.json` and Swagger UI at `/docs`. */
export function serveDocumentation(app: NestExpressApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(PREVIEW_VERSION), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Booking Service Interface (Preview)',
    swaggerOptions: { displayRequestDuration: true, tryItOutEnabled: true },
  });
}
