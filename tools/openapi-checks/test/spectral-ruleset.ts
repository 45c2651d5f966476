import type { RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import owasp from '@stoplight/spectral-owasp-ruleset';

/** Where the rules would ask for a form of what has none. */
const ANY_ID = 'openapi.json#/paths/~1v1~1bookings~1%7Bbooking_id%7D/get/parameters/0';
const ANY_ETAGS = 'openapi.json#/paths/~1v1~1bookings~1%7Bbooking_id%7D/get/parameters/1';
const TEXTS = [
  'Problem/properties/title',
  'Problem/properties/detail',
  'Problem/properties/instance',
  'Fault/properties/pointer',
  'Fault/properties/detail',
].map((path) => `openapi.json#/components/schemas/${path}`);

/** Spectral's own rules for OpenAPI and those for the OWASP API Security Top 10 (2023), every one that has a point here. */
export const ruleset: RulesetDefinition = {
  extends: [
    [oas as RulesetDefinition, 'all'],
    [owasp, 'all'],
  ],
  rules: {
    // The specification names no owner, and none is made up.
    'info-contact': 'off',
    // The license has an SPDX identifier, and OpenAPI 3.1 allows that or an address, not both.
    'license-url': 'off',
    // The one server is `/`, wherever the document comes from: audience and environment are the deployer's.
    'owasp:api9:2023-inventory-access': 'off',
    'owasp:api9:2023-inventory-environment': 'off',
    // The rule knows the scopes of OAuth only. OpenAPI 3.1 allows them for other schemes too, as names of roles (§4.8.30).
    'oas3-operation-security-defined': 'off',
    // Unless origins are listed it sends no CORS header, which is the strictest that it can do: no page of another origin reads a response.
    'owasp:api8:2023-define-cors-origin': 'off',
  },
  overrides: [
    {
      // Any id may be requested: one that no booking has is 404, whatever it looks like.
      files: [ANY_ID],
      rules: { 'owasp:api4:2023-string-limit': 'off', 'owasp:api4:2023-string-restricted': 'off' },
    },
    // Texts for people, and what a caller wrote: bounded, but in no fixed format.
    { files: [ANY_ETAGS, ...TEXTS], rules: { 'owasp:api4:2023-string-restricted': 'off' } },
  ],
};
