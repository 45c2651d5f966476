import { fieldsOf, resourcesOf } from '../src/schema.js';

const documentOf = (schema: object, more: object = {}) => ({
  components: { schemas: { CreateBooking: schema, ...more } },
});
const kindsOf = (properties: object, required: string[] = []) =>
  fieldsOf(documentOf({ properties, required }))?.map(({ kind, choices }) => `${kind} ${choices.join(' ')}`.trim());

describe('The fields of a schema', () => {
  it('are of one line where the format says so, however long they may be', () => {
    const email = { type: 'string', format: 'email', maxLength: 254 };
    expect(kindsOf({ email, note: { type: 'string', maxLength: 500 }, name: { type: 'string' } })).toEqual([
      'text',
      'long',
      'text',
    ]);
  });

  it('can be left out where they are optional, a boolean too', () => {
    const flag = { type: 'boolean' };
    expect(kindsOf({ vegan: flag, agreed: flag }, ['agreed'])).toEqual(['choice true false', 'flag']);
  });

  it('are none where any members are accepted', () => {
    expect(fieldsOf(documentOf({}))).toBeUndefined();
    expect(fieldsOf(null)).toBeUndefined();
  });
});

describe('The resources of a schema', () => {
  it('are those that it allows, wherever the service writes them', () => {
    const names = { properties: { resource_id: { enum: ['table-1', 'table-2'] } } };
    const slot = { allOf: [{ $ref: '#/components/schemas/Slot' }, names] };
    const Slot = { properties: { resource_id: { type: 'string' } } };
    expect(resourcesOf(documentOf({ properties: { slot } }, { Slot }))).toEqual(['table-1', 'table-2']);
    const one = { properties: { resource_id: { $ref: '#/components/schemas/One' } } };
    expect(resourcesOf(documentOf({ properties: { slot: one } }, { One: { const: 'hall' } }))).toEqual(['hall']);
  });

  it('are none where it names none', () => {
    expect(resourcesOf(documentOf({ properties: { slot: { $ref: '#/nowhere' } } }))).toEqual([]);
    expect(resourcesOf({})).toEqual([]);
  });
});
