/** One request, to be sent twice: `part` keeps the two apart, so that neither takes the slot or the key of the other. */
export interface Sample {
  method?: string;
  path?: (part: string) => string;
  headers?: (part: string) => Record<string, string>;
  body?: (part: string) => string;
}

const list = (query: string): Sample => ({ path: () => `/v1/bookings?${query}` });
const get = (path: string, headers: Record<string, string> = {}): Sample => ({
  path: () => path,
  headers: () => headers,
});
const other = (method: string, path = '/v1/bookings'): Sample => ({ method, path: () => path });

const JSON_TYPE = { 'content-type': 'application/json' };
const text = (body: string, headers: Record<string, string> = JSON_TYPE): Sample => ({
  method: 'POST',
  headers: () => headers,
  body: () => body,
});
const create = (payload: unknown): Sample => text(JSON.stringify(payload));

const [START, END] = ['2026-12-01T09:00:00.000Z', '2026-12-01T10:00:00.000Z'];
let slots = 0;
/** A create of a slot that no other request has, with these members changed. */
const slot = (change: object = {}, members: object = {}): Sample => {
  const number = ++slots;
  return {
    method: 'POST',
    headers: () => JSON_TYPE,
    body: (part) =>
      JSON.stringify({
        slot: { resource_id: `room ${number} ${part}`, start: START, end: END, ...change },
        ...members,
      }),
  };
};
const keyed = (key: (part: string) => string, payload: object = {}): Sample => ({
  method: 'POST',
  headers: (part) => ({ ...JSON_TYPE, 'idempotency-key': key(part) }),
  body: () => JSON.stringify(payload),
});

export const samples: Record<string, Sample> = {
  'a list': get('/v1/bookings'),
  'a list of one': list('limit=1'),
  'a list of a hundred': list('limit=100'),
  'a list of none': list('limit=0'),
  'a list of too many': list('limit=101'),
  'a list with a limit that is no number': list('limit=ten'),
  'a list by creation': list('sort=created_at'),
  'a list by start': list('sort=start'),
  'a list by start, backwards': list('sort=-start'),
  'a list in an order that is not known': list('sort=end'),
  'a list of one resource': list('resource_id=room-7'),
  'a list of a resource without a name': list('resource_id='),
  'a list of a resource with a long name': list(`resource_id=${'x'.repeat(201)}`),
  'a list of a window': list(`from=${START}&to=${END}`),
  'a list of a window that is open': list(`from=${START}`),
  'a list of a window with an offset': list('to=2026-12-01T09:00:00%2B01:00'),
  'a list of a window that is none': list(`from=${END}&to=${START}`),
  'a list from a day': list('from=2026-12-01'),
  'a list from a text': list('from=noon'),
  'a list with a cursor that is none': list('cursor=x'),
  'a list with an empty cursor': list('cursor='),
  'a list with a parameter that is not known': list('page=2'),
  'a booking with a slot': slot(),
  'a booking with a slot and members of its own': slot({}, { guest: { name: 'Ada' }, seats: 2 }),
  'a booking with a slot with an offset': slot({ start: '2026-12-01T10:00:00+01:00' }),
  'a booking with no slot': create({ guest: 'Ada' }),
  'a booking of nothing': create({}),
  'a booking with no body': { method: 'POST' },
  'a booking with a slot that is null': create({ slot: null }),
  'a booking with a slot that is a list': create({ slot: [] }),
  'a booking with a slot that is empty': create({ slot: {} }),
  'a booking with a slot without an end': slot({ end: undefined }),
  'a booking with a slot with a member of its own': slot({ note: 'x' }),
  'a booking with a slot that starts on a day': slot({ start: '2026-12-01' }),
  'a booking with a slot that starts at a text': slot({ start: 'noon' }),
  'a booking with a slot that starts at a number': slot({ start: 7 }),
  'a booking with a slot that starts on no day': slot({ start: '2026-02-30T09:00:00Z' }),
  'a booking with a slot that starts without an offset': slot({ start: '2026-12-01T09:00:00' }),
  'a booking with a slot that starts in a leap second': slot({ start: '2026-12-31T23:59:60Z' }),
  'a booking with a slot that starts in microseconds': slot({ start: '2026-12-01T09:00:00.000001Z' }),
  'a booking with a slot that ends before its start': slot({ end: '2026-12-01T08:00:00Z' }),
  'a booking with a slot of a resource without a name': slot({ resource_id: '' }),
  'a booking with a slot of a resource with a long name': slot({ resource_id: 'x'.repeat(201) }),
  'a booking with a slot of a resource with a control character': slot({ resource_id: 'a\u0007' }),
  'a booking with a slot of a resource that is a number': slot({ resource_id: 7 }),
  'a booking with an id': create({ booking_id: 'b1' }),
  'a booking with a time of creation': create({ created_at: START }),
  'a booking with a plural of slot': create({ slots: [] }),
  'a booking with a slot that is not wrapped': create({ resource_id: 'room-7', start: START, end: END }),
  'a booking that is a list': create([]),
  'a booking that is a text': create('slot'),
  'a booking that is null': create(null),
  'a booking that is no JSON': text('{'),
  'a booking that is too large': create({ note: 'x'.repeat(70_000) }),
  'a booking of another type': text('{}', { 'content-type': 'text/plain' }),
  'a booking with a key': keyed((part) => `key-1-${part}`),
  'a booking with the key of another': keyed((part) => `key-1-${part}`, { guest: 'Ada' }),
  'a booking with a key in quotes': keyed((part) => `"key-2-${part}"`),
  'a booking with a key with a blank': keyed(() => 'a key'),
  'a booking with a key that is too long': keyed(() => 'k'.repeat(300)),
  'a get of an id that no booking has': get('/v1/bookings/019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55'),
  'a get of an id that is no UUID': get('/v1/bookings/x'),
  'a get of an encoded id': get('/v1/bookings/%7B%7D'),
  'a get with an ETag': get('/v1/bookings/x', { 'if-none-match': '"x"' }),
  'a list at another path': get('/v1/booking'),
  'a list of another version': get('/v2/bookings'),
  'a list behind a slash': get('/v1/bookings/'),
  'a delete': other('DELETE'),
  'a delete of a booking': other('DELETE', '/v1/bookings/x'),
  'a put of a booking': other('PUT', '/v1/bookings/x'),
  'a head': other('HEAD'),
  'an options': other('OPTIONS'),
};
