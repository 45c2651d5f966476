import { type Change, foundAfter, text } from './support/committed-document.js';

describe('A parameter', () => {
  const sort = 'GET /v1/bookings, query parameter sort';
  const limit = 'GET /v1/bookings, query parameter limit';

  it.each<[string, Change, string]>([
    ['is removed', ({ list }) => list.parameters.splice(-1), `${sort}: is gone`],
    [
      'is new and required',
      ({ list }) => list.parameters.push({ name: 'q', in: 'query', required: true, schema: text() }),
      'GET /v1/bookings, query parameter q: is new and required',
    ],
    ['becomes required', ({ parameter }) => (parameter('sort').required = true), `${sort}: is required, and was not`],
    ['loses a value', ({ parameter }) => parameter('sort').schema.enum.pop(), `${sort}: "-start" is gone`],
    [
      'loses a type',
      ({ parameter }) => (parameter('limit').schema['type'] = 'boolean'),
      `${limit}: its type was \`"integer"\` and is \`"boolean"\``,
    ],
    [
      'has a lower maximum',
      ({ parameter }) => (parameter('limit').schema['maximum'] = 50),
      `${limit}: \`maximum\` was \`100\` and is \`50\``,
    ],
    [
      'has a higher minimum',
      ({ parameter }) => (parameter('limit').schema['minimum'] = 2),
      `${limit}: \`minimum\` was \`1\` and is \`2\``,
    ],
    [
      'gets a tighter bound',
      ({ parameter }) => (parameter('cursor').schema['maxLength'] = 9),
      'GET /v1/bookings, query parameter cursor: `maxLength` was `255` and is `9`',
    ],
    [
      'gets another pattern',
      ({ parameter }) => (parameter('cursor').schema['pattern'] = '^a'),
      'GET /v1/bookings, query parameter cursor: `pattern` was `"^[A-Za-z0-9._~-]+$"` and is `"^a"`',
    ],
    [
      'gets a list of values',
      ({ parameter }) => (parameter('cursor').schema['const'] = 'a'),
      'GET /v1/bookings, query parameter cursor: is one of "a", and was not bound to them',
    ],
    [
      'means something else when left out',
      ({ parameter }) => (parameter('limit').schema['default'] = 10),
      `${limit}: left out, it meant \`20\` and means \`10\``,
    ],
    [
      'is written in another way',
      ({ parameter }) => Object.assign(parameter('sort'), { style: 'deepObject' }),
      `${sort}: is written in another way (\`style\`)`,
    ],
  ])('breaks consumers when it %s', (_what, change, message) => {
    expect(foundAfter(change)).toEqual([message]);
  });

  it.each<[string, Change]>([
    ['is new and optional', ({ list }) => list.parameters.unshift({ name: 'q', in: 'query', schema: text() })],
    ['stands elsewhere', ({ list }) => (list.parameters = list.parameters.toReversed())],
    ['takes one more value', ({ parameter }) => parameter('sort').schema.enum.push('end')],
    ['takes one more type', ({ parameter }) => (parameter('limit').schema['type'] = ['integer', 'null'])],
    ['has a higher maximum', ({ parameter }) => (parameter('limit').schema['maximum'] = 200)],
    [
      'loses its bounds and its format',
      ({ parameter }) => {
        delete parameter('cursor').schema['minLength'];
        delete parameter('from').schema['format'];
      },
    ],
    ['is a header in other case', ({ create }) => (create.parameters[0]!.name = 'idempotency-key')],
  ])('breaks nobody when it %s', (_what, change) => {
    expect(foundAfter(change)).toEqual([]);
  });
});
