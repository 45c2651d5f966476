import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { All, Controller, Get, Header, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { otherMethod, PAGE_METHODS } from '../http/allowed-methods.js';
import { Reply } from '../http/reply.js';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const SWAGGER_UI_FILES = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

/** Scripts and styles of this service alone, and none within the page (CSP Level 3). Swagger UI draws its icons from `data:`. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Addresses are relative, so that the page also works below a prefix that a proxy takes off.
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Booking Service Interface (Preview)</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
});
`;

const PAGES = ['docs', 'docs/start.js'];

/** Swagger UI at `/docs`: it shows `/openapi.json`, and sends what one tries. Left out where `SWAGGER_UI` is false. */
@Controller()
export class SwaggerUiController {
  @Get('docs')
  @Header('Content-Security-Policy', PAGE_POLICY)
  page(): Reply {
    return new Reply(200, 'text/html; charset=utf-8', PAGE);
  }

  @Get('docs/start.js')
  start(): Reply {
    return new Reply(200, 'text/javascript; charset=utf-8', START);
  }

  @Get('docs/:file')
  file(@Param('file') file: string, @Res() response: Response): void {
    if (!SWAGGER_UI_FILES.has(file)) throw new NotFoundException();
    response.sendFile(file, { root: swaggerUi });
  }

  @All(PAGES)
  otherMethod(@Req() request: Request): Reply {
    return otherMethod(request, PAGE_METHODS);
  }
}
