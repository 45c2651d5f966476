import { createConfig, lintFromString } from '@redocly/openapi-core';
import { damaged, documentText } from './document.js';

/** The core of Redocly's linter, with its strictest set of rules: what is a warning elsewhere is an error. */
async function faultsOf(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('The OpenAPI document, under Redocly', () => {
  it('is clean', async () => {
    expect(await faultsOf(documentText)).toEqual([]);
  });

  it.each([
    ['a reference to nothing', '#/components/schemas/Slot', '#/components/schemas/Span', /^no-unresolved-refs/],
    ['a member that OpenAPI does not have', '"operationId"', '"operationID"', /^struct/],
    [
      'a path parameter that is not described',
      '/v1/bookings/{booking_id}"',
      '/v1/bookings/{id}"',
      /^path-parameters-defined/,
    ],
  ])('would be rejected for %s', async (_what, from, to, fault) => {
    expect((await faultsOf(damaged(documentText, from, to))).join('\n')).toMatch(new RegExp(fault, 'm'));
  });
});
