/** Messages of Ajv about a schema, and what they mean for its file. */
const MESSAGES: readonly [RegExp, string][] = [
  [/^no schema with key or ref "(.*)"$/, '`$schema` is $1, and has to be https://json-schema.org/draft/2020-12/schema'],
  [/^schema is invalid: (.*)$/, 'it is not a JSON Schema 2020-12: $1'],
  [/^can't resolve reference (.*) from id .*$/, 'the reference `$1` leads to nothing'],
  [/^unknown format "(.*)" ignored in schema at path "(.*)"$/, '$2: the format `$1` is not one that can be checked'],
  [/^strict mode: unknown keyword: "(.*)"$/, '`$1` is not a keyword of JSON Schema 2020-12'],
  [/^strict mode: missing type "(.*)" for keyword "(.*)" at "(.*)" .*$/, '$3: `$2` needs `"type": "$1"` beside it'],
  [/^strict mode: use allowUnionTypes .* at "(.*)" .*$/, '$1: `type` has to be one type; write several with `anyOf`'],
  [/^strict mode: "(.*)" without (.*) is ignored$/, '`$1` without $2 does nothing'],
  [
    /^strict mode: property (.*) matches pattern (.*) \(.*\)$/,
    'the member `$1` is in `properties` and matches `$2` of `patternProperties`: describe it in one of them',
  ],
  [
    /^strict mode: "(.*)" is (\d+)-tuple, .* at path "(.*)"$/,
    '$3: `$1` with $2 items needs `"minItems": $2`, and `"maxItems": $2` or `"items": false`',
  ],
];

/** A message of Ajv in terms of the file, which cannot set Ajv's options. */
export function schemaFault(message: string): string {
  const [form, fault] = MESSAGES.find(([form]) => form.test(message)) ?? [/^strict mode: /, ''];
  return message.replace(form, fault).replaceAll(/\bdata(?=\/)/g, '#');
}
