import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './openapi-document.js';
import { PREVIEW_VERSION } from './preview-version.js';
import type { Tokens } from './token-security.js';

/** Serves the OpenAPI document at `/openapi.json` and Swagger UI at `/docs`. */
export function serveDocumentation(app: NestExpressApplication, tokens: Tokens): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(PREVIEW_VERSION, tokens), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Booking Service Interface (Preview)',
    swaggerOptions: { displayRequestDuration: true, tryItOutEnabled: true },
  });
}
