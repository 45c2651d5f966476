/** Writes the document that the contracts package ships: that of a service which may require tokens. */
import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../src/features/openapi/openapi-document.ts';

const target = new URL('../../../packages/contracts/openapi.json', import.meta.url);
const document = openApiDocument('optional');
writeFileSync(target, `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write('Wrote packages/contracts/openapi.json\n');
