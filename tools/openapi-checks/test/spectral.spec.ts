import { Document, Ruleset, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { damaged, documentText, tableOf } from './document.js';
import { ruleset } from './spectral-ruleset.js';

async function faultsOf(text: string): Promise<string[]> {
  const spectral = new Spectral();
  // The places only have to be of one folder: the exceptions name the document relative to the rules.
  spectral.setRuleset(new Ruleset(ruleset, { source: '/spectral-ruleset.ts' }));
  const found = await spectral.run(new Document(text, Json, '/openapi.json'));
  return found.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`);
}

describe('The OpenAPI document, under Spectral with the rules of OWASP', () => {
  it('has every rule but those that the README names', () => {
    const { rules = {}, overrides = [] } = ruleset as unknown as {
      rules?: Record<string, string>;
      overrides?: { rules: Record<string, string> }[];
    };
    const off = [rules, ...overrides.map((override) => override.rules)].flatMap((each) => Object.entries(each));
    expect(new Set(off.map(([, severity]) => severity))).toEqual(new Set(['off']));
    const named = tableOf('Rules that are off', 1).map(([name]) => name);
    expect(new Set(off.map(([name]) => name))).toEqual(new Set(named));
  });

  it('is clean', async () => {
    expect(await faultsOf(documentText)).toEqual([]);
  });

  it.each([
    ['a string without a bound', '"maxLength": 255', '"minLength": 0', /owasp:api4:2023-string-limit/],
    ['a list without a bound', '"maxItems": 20', '"minItems": 0', /owasp:api4:2023-array-limit/],
    [
      'an operation without a text',
      '"description": "Returns one booking, exactly as',
      '"x-text": "',
      /operation-description/,
    ],
    ['an example that breaks its schema', '"created_at": "2025', '"created_at": "x', /oas3-valid-media-example/],
  ])('would be rejected for %s', async (_what, from, to, fault) => {
    expect((await faultsOf(damaged(documentText, from, to))).join('\n')).toMatch(fault);
  });
});
