import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Api, api } from '../support/api.js';
import { aProblem, aSlot, create, pointersOf } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const file = fileURLToPath(new URL('../../../../examples/booking-schema/dinner.schema.json', import.meta.url));
const dinner = JSON.parse(readFileSync(file, 'utf8')) as { examples: object[]; $defs: object };

interface OpenApi {
  paths: Record<
    string,
    { post: { description: string; requestBody: { content: Record<string, { examples: object }> } } }
  >;
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

  it('shows the examples of the schema', () => {
    const { examples } = document.paths['/v1/bookings']!.post.requestBody.content['application/json']!;
    expect(Object.values(examples).map(({ value }: { value: object }) => value)).toEqual(dinner.examples);
  });
});

it('With a booking schema that narrows the slot, a create needs a slot that both accept, and the document has both', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'booking-schema-'));
  const resource_id = { type: 'string', pattern: '^table-(\\d+)+$', maxLength: 20 };
  const schema = {
    type: 'object',
    properties: { slot: { type: 'object', properties: { resource_id } } },
    required: ['slot'],
    examples: [{ slot: aSlot('table-2') }],
  };
  writeFileSync(join(folder, 'tables.json'), JSON.stringify(schema));
  const tables = await startApp({ BOOKING_SCHEMA_FILE: join(folder, 'tables.json') });
  const errorsOf = async (payload: object): Promise<string[]> =>
    pointersOf((await api(tables.url).post('/v1/bookings').send(payload).expect(422)).body);
  expect(await errorsOf({ guest: 'Ada' })).toEqual(['#/slot']);
  expect(await errorsOf({ slot: aSlot('room-7') })).toEqual(['#/slot/resource_id']);
  expect(await errorsOf({ slot: { ...aSlot('table-1'), note: 'x' } })).toEqual(['#/slot/note']);
  const { components, paths } = (await api(tables.url).get('/openapi.json').expect(200)).body as OpenApi;
  expect(components.schemas['CreateBooking']).toMatchObject({
    properties: { slot: { allOf: [{ $ref: '#/components/schemas/NewSlot' }, { properties: { resource_id: {} } }] } },
    required: ['slot'],
    description: expect.not.stringMatching(/optional|any/),
  });
  expect(paths['/v1/bookings']!.post.description).not.toMatch(/optional|any JSON/);
  await create(api(tables.url), schema.examples[0]);
  await tables.close();
  rmSync(folder, { recursive: true });
});
