import autocannon from 'autocannon';

export type Operation = 'get' | 'list of 20' | 'create' | 'create, 409';
/** Operations, with the status of their responses. */
export const OPERATIONS: Record<Operation, number> = { get: 200, 'list of 20': 200, create: 201, 'create, 409': 409 };

const CONNECTIONS = 32;
/** Bookings that are there before anything is measured. */
const PREFILL = 2_000;
const RESOURCES = 10;
const HOUR = 3_600_000;
const FIRST_SLOT = Date.parse('2027-01-01T00:00:00Z');
/** Hours of resources. `STRIDE` shares no divisor with it: multiples visit each once, in an order that looks random. */
const CELLS = 1_000_000;
const STRIDE = 7_368_787;

/** The requests to one server, and what it holds. */
export class Load {
  private readonly ids: string[] = [];
  private position = 0;
  private created = 0;

  constructor(private readonly url: string) {}

  async prefill(): Promise<void> {
    await this.run(
      201,
      PREFILL,
      () => create(this.created++),
      (_status, body) => {
        this.ids.push((JSON.parse(body) as { booking_id: string }).booking_id);
      },
    );
  }

  /** @throws Error when any response is not the one that was expected */
  send(operation: Operation, amount: number): Promise<void> {
    const requests: Record<Operation, () => autocannon.Request> = {
      get: () => ({ method: 'GET', path: `/v1/bookings/${this.ids[this.position++ % PREFILL]}` }),
      'list of 20': () => ({ method: 'GET', path: '/v1/bookings' }),
      create: () => create(this.created++),
      'create, 409': () => create(this.position++ % PREFILL),
    };
    return this.run(OPERATIONS[operation], amount, requests[operation]);
  }

  private async run(
    status: number,
    amount: number,
    next: () => autocannon.Request,
    onResponse?: autocannon.Request['onResponse'],
  ): Promise<void> {
    const setupRequest = (request: autocannon.Request) => ({ ...request, headers: {}, ...next() });
    const { statusCodeStats, errors, timeouts } = await autocannon({
      url: this.url,
      connections: CONNECTIONS,
      // The run ends at the first of these intervals after the last response; the default is a second.
      sampleInt: 10,
      requests: [{ setupRequest, ...(onResponse && { onResponse }) }],
      amount,
    });
    const statuses = Object.keys(statusCodeStats ?? {}).join(', ');
    if (statuses !== String(status) || errors > 0 || timeouts > 0)
      throw new Error(`${this.url}: the responses are ${statuses} instead of ${status}, with ${errors} errors`);
  }
}

/** The create with a number: each has a slot of its own. */
function create(number: number): autocannon.Request {
  const cell = (number * STRIDE) % CELLS;
  const start = FIRST_SLOT + Math.floor(cell / RESOURCES) * HOUR;
  const [from, to] = [start, start + HOUR / 2].map((time) => new Date(time).toISOString());
  const slot = { resource_id: `room-${cell % RESOURCES}`, start: from, end: to };
  const body = JSON.stringify({ slot, guest: 'Ada Lovelace', note: 'a quiet place, by the window if there is one' });
  return { method: 'POST', path: '/v1/bookings', headers: { 'Content-Type': 'application/json' }, body };
}
