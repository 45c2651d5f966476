import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../openapi/openapi-document.js';
import { PREVIEW_VERSION } from '../openapi/preview-version.js';

const target = new URL('../../../../packages/contracts/openapi.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(openApiDocument(PREVIEW_VERSION, 'optional'), null, 2)}\n`);
process.stdout.write('Wrote packages/contracts/openapi.json\n');
