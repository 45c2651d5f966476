import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';

const document = fileURLToPath(new URL('../openapi.json', import.meta.url));

it('The OpenAPI document passes the strictest rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  expect(await lint({ ref: document, config })).toEqual([]);
});
