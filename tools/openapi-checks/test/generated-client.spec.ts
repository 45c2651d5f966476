import createClient from 'openapi-fetch';
import { ServiceProcess } from 'testing';
import type { paths } from '../dist/openapi.js';

describe('A client that openapi-typescript and openapi-fetch make of the document', () => {
  let service: ServiceProcess;
  let client: ReturnType<typeof createClient<paths>>;

  beforeAll(async () => {
    service = await ServiceProcess.start();
    client = createClient<paths>({ baseUrl: service.url });
  });
  afterAll(() => service.stop());

  const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };

  it('makes a booking, reads it and finds it in the list', async () => {
    const created = await client.POST('/v1/bookings', { body: { slot, guest: { name: 'Ada' } } });
    expect(created.response.status).toBe(201);
    const booking = created.data!;
    expect(booking).toMatchObject({ slot, guest: { name: 'Ada' } });
    const params = { path: { booking_id: booking.booking_id } };
    expect((await client.GET('/v1/bookings/{booking_id}', { params })).data).toEqual(booking);
    const { data: page } = await client.GET('/v1/bookings', {
      params: { query: { resource_id: 'room-7', sort: 'start', limit: 5 } },
    });
    expect(page).toEqual({ bookings: [booking], next_cursor: null });
  });

  it('has the types of the problems', async () => {
    const elsewhere = { ...slot, resource_id: 'room-8' };
    await client.POST('/v1/bookings', { body: { slot: elsewhere } });
    const { error } = await client.POST('/v1/bookings', { body: { slot: elsewhere } });
    expect(error?.type).toBe('urn:problem-type:bookings:slot-taken');
    expect(error?.conflicting_slot?.resource_id).toBe('room-8');
  });
});
