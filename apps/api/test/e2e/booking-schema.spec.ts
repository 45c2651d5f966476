import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toBookingSchema } from '../../src/features/booking-schema/read-booking-schema.js';
import { openApiDocument } from '../../src/features/openapi/openapi-document.js';
import { type Api, api } from '../support/api.js';
import { aProblem, aSlot, create, pointersOf } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const file = fileURLToPath(new URL('../../../../examples/booking-schema/dinner.schema.json', import.meta.url));
const dinner = JSON.parse(readFileSync(file, 'utf8')) as { examples: object[]; $defs: object };

interface OpenApi {
  paths: Record<string, { post: { requestBody: { content: Record<string, { examples: object }> } } }>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp({ BOOKING_SCHEMA_FILE: file });
  service = api(running.url);
});
afterAll(() => running.close());

describe('With a booking schema, a create', () => {
  it.each(dinner.examples)('that keeps to it is made: %j', async (example) => {
    const { slot: _, ...details } = example as Record<string, unknown>;
    expect(await create(service, example)).toMatchObject(details);
  });

  it('that breaks it is 422, with a pointer to the first fault', async () => {
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
  let document: OpenApi;

  beforeAll(async () => {
    document = (await service.get('/openapi.json').expect(200)).body as OpenApi;
  });

  it('has the members of the schema alongside the slot, and its references within itself', () => {
    const { CreateBooking, Booking } = document.components.schemas;
    expect(CreateBooking).toMatchObject({
      properties: {
        slot: { $ref: '#/components/schemas/NewSlot' },
        guest: { $ref: '#/components/schemas/CreateBooking/$defs/Guest' },
        seats: { type: 'integer', minimum: 1, maximum: 12 },
      },
      required: ['guest', 'seats'],
      additionalProperties: false,
      $defs: dinner.$defs,
    });
    expect(CreateBooking).not.toHaveProperty('$schema');
    expect(Booking).toHaveProperty('additionalProperties', {});
    for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect(document).toHaveProperty(path!.split('/'));
    }
  });

  it('has a slot that keeps to the contract and to a schema that narrows it', () => {
    const slot = { type: 'object', properties: { resource_id: { type: 'string', pattern: '^table-' } } };
    const examples = [{ slot: aSlot('table-2') }];
    const schema = toBookingSchema({ type: 'object', properties: { slot }, required: ['slot'], examples });
    expect(openApiDocument(running.app, 'none', schema).components!.schemas!['CreateBooking']).toMatchObject({
      properties: { slot: { allOf: [{ $ref: '#/components/schemas/NewSlot' }, slot] } },
      required: ['slot'],
      description: expect.not.stringMatching(/optional|any/),
    });
  });

  it('shows the examples of the schema', () => {
    const { examples } = document.paths['/v1/bookings']!.post.requestBody.content['application/json']!;
    expect(Object.values(examples).map(({ value }: { value: object }) => value)).toEqual(dinner.examples);
  });
});
