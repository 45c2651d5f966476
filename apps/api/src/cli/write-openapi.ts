import { writeFileSync } from 'node:fs';
import { readConfig } from '../config/config.js';
import { createApp } from '../create-app.js';
import { logTo } from '../platform/observability/logger.js';
import { openApiDocument } from '../features/openapi/openapi-document.js';

const target = new URL('../../../../packages/contracts/openapi.json', import.meta.url);
const app = await createApp(readConfig({}), logTo(process.stderr, 'warn'));
const document = openApiDocument(app, 'optional');
writeFileSync(target, `${JSON.stringify(document, null, 2)}\n`);
await app.close();
process.stdout.write('Wrote packages/contracts/openapi.json\n');
