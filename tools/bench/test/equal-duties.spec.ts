import { BOOKINGS_PATH, type ContenderName, contenders } from '../src/contenders.js';
import { Server } from '../src/server.js';

const HOUR = 3_600_000;

/** The slot of an hour of one day. */
function slot(start: number, end = start + 1): object {
  const instant = (hour: number) => new Date(Date.UTC(2027, 0, 1) + hour * HOUR).toISOString();
  return { resource_id: 'room', start: instant(start), end: instant(end) };
}

describe.each<ContenderName>(['memory', 'nest-fastify-equal'])('%s', (name) => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start({ args: [contenders.find((contender) => contender.name === name)!.program] });
  });
  afterAll(() => server.stop());

  const send = (path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      body: body ?? null,
    });
  const create = (payload: object, key?: string): Promise<Response> =>
    send(BOOKINGS_PATH, JSON.stringify(payload), key === undefined ? {} : { 'Idempotency-Key': key });

  it('creates a booking, shows it, and lists the newest 20', async () => {
    for (let hour = 0; hour < 21; hour++) expect((await create({ slot: slot(hour), note: 'quiet' })).status).toBe(201);
    const created = await create({ slot: { ...slot(21), start: '2027-01-01T22:00:00+01:00' }, guest: { name: 'Ada' } });
    expect(created.status).toBe(201);
    const booking = (await created.json()) as { booking_id: string };
    expect(booking).toMatchObject({ created_at: expect.any(String), guest: { name: 'Ada' } });
    const found = await send(`${BOOKINGS_PATH}/${booking.booking_id}`);
    expect(found.status).toBe(200);
    expect(await found.json()).toEqual(booking);
    const { bookings } = (await (await send(BOOKINGS_PATH)).json()) as { bookings: unknown[] };
    expect(bookings).toHaveLength(20);
    expect(bookings[0]).toEqual(booking);
  });

  it('repeats the first response to a key', async () => {
    const payload = { slot: slot(100) };
    const first = await create(payload, 'key');
    const again = await create(payload, 'key');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.text()).toBe(await first.text());
  });

  it('rejects what overlaps, and takes what only touches', async () => {
    const statusOf = async (start: number, end: number): Promise<number> =>
      (await create({ slot: slot(start, end) })).status;
    expect(await statusOf(50, 52)).toBe(201);
    expect(await statusOf(51, 53)).toBe(409);
    expect(await statusOf(50.5, 51)).toBe(409);
    expect([await statusOf(52, 53), await statusOf(49, 50)]).toEqual([201, 201]);
  });

  it.each([
    ['a taken slot', 409, () => create({ slot: slot(200) }).then(() => create({ slot: slot(200) }))],
    ['a slot that ends before it starts', 422, () => create({ slot: slot(10, 9) })],
    ['a slot without an end', 422, () => create({ slot: { ...slot(300), end: undefined } })],
    ['a slot with another member', 422, () => create({ slot: { ...slot(300), colour: 'red' } })],
    ['a slot of a resource without a name', 422, () => create({ slot: { ...slot(300), resource_id: '' } })],
    ['an instant that is none', 422, () => create({ slot: { ...slot(300), start: 'tomorrow' } })],
    ['a list as a payload', 422, () => send(BOOKINGS_PATH, '[]')],
    ['a body that is not JSON', 400, () => send(BOOKINGS_PATH, '{"slot":')],
    ['a key with a space', 400, () => create({ slot: slot(300) }, 'a key')],
    ['another media type', 415, () => send(BOOKINGS_PATH, '<slot/>', { 'Content-Type': 'application/xml' })],
    ['the id of no booking', 404, () => send(`${BOOKINGS_PATH}/01a2068b-d43f-719a-8493-459c327d90f3`)],
    ['an id that is no UUID', 404, () => send(`${BOOKINGS_PATH}/none`)],
    ['another path', 404, () => send('/v1/rooms')],
  ])('rejects %s with a problem of status %i', async (_, status, request) => {
    const response = await request();
    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toMatch(/^application\/problem\+json/);
    const problem = { status, title: expect.any(String), detail: expect.any(String), instance: expect.any(String) };
    expect(await response.json()).toMatchObject(problem);
  });

  it.each([
    ['a booking', () => create({})],
    ['a list', () => send(BOOKINGS_PATH)],
    ['a problem', () => send('/v1/rooms')],
  ])('sends security headers and a new request id with %s', async (_, request) => {
    const { headers } = await request();
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Content-Security-Policy')).not.toBeNull();
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("sends the caller's request id back", async () => {
    const { headers } = await send(BOOKINGS_PATH, undefined, { 'X-Request-Id': 'mine' });
    expect(headers.get('X-Request-Id')).toBe('mine');
  });
});
