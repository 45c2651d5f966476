import { breakingChanges } from '../src/document-changes.js';
import { type Change, committedDocument, foundAfter, text } from './support/committed-document.js';

describe('The same schemas', () => {
  it.each<[string, Change]>([
    [
      'written out where they are used',
      ({ schemas, create }) => (create.responses['201']!.content['application/json']!.schema = schemas.Booking),
    ],
    [
      'under another name',
      ({ document }) => {
        const { Booking, ...schemas } = document.components.schemas;
        const renamed = JSON.parse(
          JSON.stringify(document).replaceAll('/schemas/Booking"', '/schemas/Reservation"'),
        ) as typeof document;
        Object.assign(document, renamed, {
          components: { ...renamed.components, schemas: { ...schemas, Reservation: Booking } },
        });
        for (const name of ['BookingPage', 'BookingCreatedEvent'])
          document.components.schemas[name] = renamed.components.schemas[name]!;
      },
    ],
    [
      'with the order of their names changed',
      ({ schemas }) => (schemas.Slot.required = schemas.Slot.required.toReversed()),
    ],
    [
      'without a type beside the values that they list',
      ({ document }) => {
        const schemas = document.components.schemas;
        for (const { allOf } of Object.values(schemas)) delete allOf?.[1]?.properties['type']?.['type'];
      },
    ],
  ])('break nobody: %s', (_what, change) => {
    expect(foundAfter(change)).toEqual([]);
  });

  /** What is found after a change of a document that had another one before. */
  function foundBetween(first: Change, then: Change): string[] {
    const [before, after] = [committedDocument(), committedDocument()];
    first(before);
    first(after);
    then(after);
    return breakingChanges(before.document, after.document);
  }

  it('come to an end where one contains itself', () => {
    const nest: Change = ({ schemas }) =>
      (schemas.Booking.properties['parts'] = { items: { $ref: '#/components/schemas/Booking' } } as never);
    const found = foundBetween(nest, ({ schemas }) => delete schemas.Booking.properties['created_at']);
    expect(found).toEqual(['in responses, Booking.created_at: is gone', 'in webhooks, Booking.created_at: is gone']);
  });

  it('are followed into rules that are not known, by what they mean and not by what they say', () => {
    const choose: Change = ({ schemas }) =>
      (schemas.Booking.properties['time'] = { anyOf: [{ $ref: '#/components/schemas/Fault' }] } as never);
    expect(foundBetween(choose, ({ schemas }) => (schemas.Fault['description'] = 'Another one'))).toEqual([]);
    expect(foundBetween(choose, ({ schemas }) => (schemas.Fault.properties['more'] = text()))).toEqual([
      'in responses, Booking.time: `anyOf` changed, which this check cannot judge',
      'in webhooks, Booking.time: `anyOf` changed, which this check cannot judge',
    ]);
  });
});

describe('What cannot be compared', () => {
  it('is another OpenAPI than 3.1', () => {
    expect(() => foundAfter(({ document }) => (document.openapi = '3.0.4'))).toThrow(
      'reads OpenAPI 3.1, not `"3.0.4"`',
    );
  });

  it('is a reference that leads to nothing', () => {
    const change: Change = ({ schemas }) => delete (schemas as Partial<typeof schemas>).Slot;
    expect(() => foundAfter(change)).toThrow(
      'The reference #/components/schemas/Slot leads to nothing in the document',
    );
  });
});
