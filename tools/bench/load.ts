import autocannon from 'autocannon';

/** Operations, each with the expected status of its responses. */
export const OPERATIONS = { get: 200, 'list of 20': 200, create: 201, 'create, 409': 409 };
export type Operation = keyof typeof OPERATIONS;

/** The number of bookings made before the first measurement. */
const PREFILL = 2_000;
const PATH = '/v1/bookings';
const HOUR = 3_600_000;
const FIRST_SLOT = Date.parse('2027-01-01T00:00:00Z');

/** Sends requests to one server, and remembers what it has booked. */
export class Load {
  private ids: string[] = [];
  private created = 0;
  private position = 0;

  constructor(private readonly url: string) {}

  async prefill(): Promise<void> {
    await this.send('create', PREFILL);
    const response = await fetch(`${this.url}${PATH}`);
    const { bookings } = (await response.json()) as { bookings: { booking_id: string }[] };
    this.ids = bookings.map(({ booking_id: id }) => id);
  }

  /** @throws Error unless a rejection is a problem, with a request id and headers for browsers (docs/performance.md) */
  async expectDuties(): Promise<void> {
    const request = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"slot":{"start":"now"}}',
    };
    const { status, headers } = await fetch(`${this.url}${PATH}`, request);
    const type = headers.get('Content-Type') ?? '';
    const duties = ['X-Request-Id', 'X-Content-Type-Options', 'Content-Security-Policy'];
    const isComplete = duties.every((name) => headers.has(name));
    if (status === 422 && type.startsWith('application/problem+json') && isComplete) return;
    throw new Error(`A rejection with the status ${status} and the type ${type} lacks one of ${duties.join(', ')}.`);
  }

  /** @throws Error if any response is not as expected */
  async send(operation: Operation, amount: number): Promise<void> {
    const requests: Record<Operation, () => autocannon.Request> = {
      get: () => ({ method: 'GET', path: `${PATH}/${this.ids[this.position++ % this.ids.length]}` }),
      'list of 20': () => ({ method: 'GET', path: PATH }),
      create: () => create(this.created++),
      'create, 409': () => create(this.position++ % PREFILL),
    };
    const setupRequest = (request: autocannon.Request) => ({ ...request, headers: {}, ...requests[operation]() });
    // A run ends at the first sample after its last response. By default there is one sample a second.
    const options = { url: this.url, connections: 32, sampleInt: 10, amount, requests: [{ setupRequest }] };
    const { statusCodeStats, errors } = await autocannon(options);
    const statuses = Object.keys(statusCodeStats ?? {}).join(', ');
    const isExpected = statuses === String(OPERATIONS[operation]) && errors === 0;
    if (!isExpected) throw new Error(`${operation}: the responses are ${statuses}, with ${errors} errors`);
  }
}

/** The create with this number. Each number has its own slot; their order looks random. */
function create(number: number): autocannon.Request {
  const start = FIRST_SLOT + ((number * 7_919) % 100_003) * HOUR;
  const from = new Date(start).toISOString();
  const to = new Date(start + HOUR / 2).toISOString();
  const slot = { resource_id: `room-${number % 10}`, start: from, end: to };
  const body = JSON.stringify({ slot, guest: 'Ada Lovelace', note: 'a quiet place, by the window if there is one' });
  return { method: 'POST', path: PATH, headers: { 'Content-Type': 'application/json' }, body };
}
