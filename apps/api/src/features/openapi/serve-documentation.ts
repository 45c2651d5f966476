import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { responseHeaders } from '@booking-service/contracts';
import { NotFoundException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, type SwaggerCustomOptions, SwaggerModule } from '@nestjs/swagger';
import type { Express, RequestHandler } from 'express';
import type { BookingSchema } from '../../bookings/booking-schema.js';
import { PAGE_METHODS, pageHeaders, redirect } from '../../edge/pages.js';
import { send } from '../../edge/reply.js';
import { replyToOtherMethod } from '../../edge/unsupported-methods.js';
import type { TokenPolicy } from './json-schemas.js';
import { openApiDocument } from './openapi-document.js';

interface DocumentationSettings {
  readonly tokens: TokenPolicy;
  /** Whether to serve Swagger UI at `/docs`; the document is always at `/openapi.json`. */
  readonly swaggerUi: boolean;
  readonly schema: BookingSchema;
}

export function serveDocumentation(
  app: NestExpressApplication,
  { tokens, swaggerUi, schema }: DocumentationSettings,
): void {
  guardPages(app.getHttpAdapter().getInstance(), swaggerUi);
  // The types of `@nestjs/swagger` are those of OpenAPI 3.0.
  const document = () => openApiDocument(tokens, schema) as unknown as OpenAPIObject;
  SwaggerModule.setup('docs', app, document, { ...SWAGGER_OPTIONS, ui: swaggerUi });
}

const SWAGGER_OPTIONS: SwaggerCustomOptions = {
  raw: ['json'],
  jsonDocumentUrl: 'openapi.json',
  customSiteTitle: 'Booking Service Interface (Preview)',
  // `@nestjs/swagger` cannot find the folder from within a bundle.
  customSwaggerUiPath: dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
  // Hides the headers of further statuses, which would repeat nearly the same ones.
  customCss: '.response ~ .response .headers-wrapper { display: none }',
  // `BaseLayout` has no top bar, and no badge of an external validator.
  swaggerOptions: { layout: 'BaseLayout', displayRequestDuration: true, tryItOutEnabled: true },
};

/** `@nestjs/swagger` writes inline styles. */
const HEADERS = pageHeaders("style-src 'self' 'unsafe-inline'");

/** Rejects unsupported methods, and sets the page's headers. Call it before `@nestjs/swagger` adds its routes. */
function guardPages(express: Express, swaggerUi: boolean): void {
  express.all('/openapi.json', readOnly);
  if (!swaggerUi) return;
  express.all('/docs', readOnly, (_request, response, next) => {
    response.set(HEADERS);
    next();
  });
  express.all('/docs/', readOnly, (_request, response) => send(response, redirect(308, '../docs')));
  express.all('/docs/{*file}', readOnly, (request, response, next) => {
    // The folder of swagger-ui-dist also holds a start page of its own.
    if (!/^\/docs\/(?:swagger-ui|favicon-)[\w.-]+$/.test(request.path)) throw new NotFoundException();
    // Express lets shared caches store the files by default.
    response.set('Cache-Control', responseHeaders['Cache-Control'].schema.const);
    // Express responds 412 or 416 only to these headers, and Nest would turn either into a 500.
    for (const name of ['if-match', 'if-unmodified-since', 'range']) delete request.headers[name];
    next();
  });
}

const readOnly: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else send(response, replyToOtherMethod(request, PAGE_METHODS));
};
