import { type Change, foundAfter, text } from './support/committed-document.js';

describe('What consumers send', () => {
  const body = 'in requests, CreateBooking';

  it.each<[string, Change, string]>([
    [
      'has to be there',
      ({ create }) => (create.requestBody.required = true),
      'POST /v1/bookings, request body: is required, and was not',
    ],
    [
      'has a new required member',
      ({ schemas }) => Object.assign(schemas.CreateBooking, { required: ['guest'] }),
      `${body}.guest: is required, and was not`,
    ],
    [
      'has a new required member in a component',
      ({ schemas }) => schemas.Slot.required.push('seats'),
      'in requests, Slot.seats: is required, and was not',
    ],
    ['loses a member', ({ schemas }) => delete schemas.CreateBooking.properties['slot'], `${body}.slot: is gone`],
    [
      'loses a name that was free',
      ({ schemas }) => (schemas.CreateBooking.properties['guest'] = text()),
      `${body}.guest: is a new member with a rule, and the name was free for any value`,
    ],
    [
      'is closed',
      ({ schemas }) => (schemas.CreateBooking['additionalProperties'] = false),
      `${body}: has no members but those listed, and had others`,
    ],
    [
      'is open for less',
      ({ schemas }) => (schemas.CreateBooking['additionalProperties'] = text()),
      `${body}.*: its type was nothing and is \`"string"\``,
    ],
    [
      'has a rule that is not known',
      ({ schemas }) => (schemas.CreateBooking['dependentRequired'] = { a: ['b'] }),
      `${body}: \`dependentRequired\` changed, which this check cannot judge`,
    ],
    [
      'has a rule beside its reference',
      ({ schemas }) => (schemas.CreateBooking.properties['slot']!['maxProperties'] = 2),
      `${body}.slot: is put together of other schemas (\`$ref\`, \`allOf\`), which this check cannot judge`,
    ],
    [
      'is nothing any more',
      ({ schemas }) => (schemas.CreateBooking.properties['slot'] = false as never),
      `${body}.slot: \`not\` changed, which this check cannot judge`,
    ],
  ])('breaks consumers when it %s', (_what, change, message) => {
    expect(foundAfter(change)).toContain(message);
  });

  it.each<[string, Change]>([
    ['an optional member is added to a closed object', ({ schemas }) => (schemas.Slot.properties['seats'] = text())],
    [
      'a member is documented that takes anything',
      ({ schemas }) => (schemas.CreateBooking.properties['guest'] = { description: 'Who comes' } as never),
    ],
  ])('breaks nobody when %s', (_what, change) => {
    expect(foundAfter(change)).toEqual([]);
  });
});
