import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toBookingSchema } from '../../src/features/booking-schema/read-booking-schema.js';
import { openApiDocument } from '../../src/features/openapi/openapi-document.js';
import { type Api, api } from '../support/api.js';
import { aProblem, aSlot, create, pointersOf } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const file = fileURLToPath(new URL('../../../../examples/booking-schema/dinner.schema.json', import.meta.url));
type Dinner = Record<'title' | 'description' | 'properties' | '$defs', object> & { examples: object[] };
const dinner = JSON.parse(readFileSync(file, 'utf8')) as Dinner;

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp({ BOOKING_SCHEMA_FILE: file });
  service = api(running.url);
});
afterAll(() => running.close());

describe('With a booking schema, a create', () => {
  it.each(dinner.examples)('that matches it makes a booking: %j', async (example) => {
    const { slot: _, ...details } = example as Record<string, unknown>;
    expect(await create(service, example)).toMatchObject(details);
  });

  it('that violates it is 422 with a pointer to the first fault', async () => {
    const { body } = await service
      .post('/v1/bookings')
      .send({ guest: { name: 'Ada', 'nam/e': 'Ada' }, seats: 2 })
      .expect(422);
    expect(body).toMatchObject(aProblem('invalid-booking'));
    expect(pointersOf(body)).toEqual(['#/guest/nam~1e']);
  });

  it('is validated by the rules of the interface first', async () => {
    const { body } = await service.post('/v1/bookings').send({ slot: null, booking_id: 'x' }).expect(422);
    expect(pointersOf(body)).toEqual(['#/booking_id']);
  });
});

describe('With a booking schema, the OpenAPI document', () => {
  let document: object;

  beforeAll(async () => {
    document = (await service.get('/openapi.json').expect(200)).body as object;
  });

  it('has the members of the schema alongside the slot, and its references within itself', () => {
    expect(document).toHaveProperty('components.schemas.CreateBooking', {
      description: dinner.description,
      title: dinner.title,
      type: 'object',
      properties: {
        ...dinner.properties,
        slot: { $ref: '#/components/schemas/NewSlot' },
        guest: { $ref: '#/components/schemas/CreateBooking/$defs/Guest' },
      },
      required: ['guest', 'seats'],
      additionalProperties: false,
      $defs: dinner.$defs,
    });
    expect(document).toHaveProperty('components.schemas.Booking.additionalProperties', true);
    for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect(document).toHaveProperty(path!.split('/'));
    }
  });

  it('has a slot that keeps to the contract and to a schema that narrows it', () => {
    const slot = { type: 'object', properties: { resource_id: { type: 'string', pattern: '^table-' } } };
    const examples = [{ slot: aSlot('table-2') }];
    const moved = { $ref: '#/properties/slot/properties/resource_id' };
    const schema = toBookingSchema({ type: 'object', properties: { slot, moved }, required: ['slot'], examples });
    expect(openApiDocument('none', schema).components.schemas['CreateBooking']).toMatchObject({
      properties: {
        slot: { ...slot, allOf: [{ $ref: '#/components/schemas/NewSlot' }] },
        moved: { $ref: '#/components/schemas/CreateBooking/properties/slot/properties/resource_id' },
      },
      required: ['slot'],
      description: expect.not.stringMatching(/optional|any/),
    });
  });

  it('shows the examples of the schema', () => {
    const [first, second] = dinner.examples.map((value) => expect.objectContaining({ value }) as unknown);
    const examples = { 'example-1': first, 'example-2': second };
    const requestBody = { content: { 'application/json': { examples } } };
    expect(document).toMatchObject({ paths: { '/v1/bookings': { post: { requestBody } } } });
  });
});
