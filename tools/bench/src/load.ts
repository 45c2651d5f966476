import autocannon from 'autocannon';

export type Operation = 'get' | 'list' | 'create' | 'rejected';
export const OPERATIONS: Record<Operation, { title: string; status: number }> = {
  get: { title: 'get', status: 200 },
  list: { title: 'list of 20', status: 200 },
  create: { title: 'create', status: 201 },
  rejected: { title: 'create, 409', status: 409 },
};

const CONNECTIONS = 32;
/** Bookings that are there before anything is measured. */
const PREFILL = 2_000;
const RESOURCES = 10;
const HOUR = 3_600_000;
const FIRST_SLOT = Date.parse('2027-01-01T00:00:00Z');
/** Hours of resources; `STRIDE` has no divisor of it, so its multiples visit each once, in an order that looks random. */
const CELLS = 1_000_000;
const STRIDE = 7_368_787;

/** The requests to one server, and what it holds. */
export class Load {
  private readonly ids: string[] = [];
  private position = 0;
  private created = PREFILL;

  constructor(private readonly url: string) {}

  async prefill(): Promise<void> {
    const keepId = (_status: number, body: string): void => {
      this.ids.push((JSON.parse(body) as { booking_id: string }).booking_id);
    };
    let number = 0;
    await this.run(201, { amount: PREFILL }, () => create(number++), keepId);
  }

  /** @throws Error when any response is not the one that was expected */
  send(operation: Operation, bound: { amount: number } | { duration: number }): Promise<void> {
    const requests: Record<Operation, () => autocannon.Request> = {
      get: () => ({ method: 'GET', path: `/v1/bookings/${this.ids[this.position++ % PREFILL]}` }),
      list: () => ({ method: 'GET', path: '/v1/bookings' }),
      create: () => create(this.created++),
      rejected: () => create(this.position++ % PREFILL),
    };
    return this.run(OPERATIONS[operation].status, bound, requests[operation]);
  }

  private async run(
    status: number,
    bound: { amount: number } | { duration: number },
    next: () => autocannon.Request,
    onResponse?: (status: number, body: string) => void,
  ): Promise<void> {
    const setupRequest = (request: autocannon.Request) => ({ ...request, headers: {}, ...next() });
    const { statusCodeStats, errors, timeouts } = await autocannon({
      url: this.url,
      connections: CONNECTIONS,
      // It ends at the first of these intervals after the last response; the default is a second.
      sampleInt: 10,
      requests: [{ setupRequest, ...(onResponse && { onResponse }) }],
      ...bound,
    });
    const others = Object.keys(statusCodeStats ?? {}).filter((code) => code !== String(status));
    if (others.length > 0 || errors > 0 || timeouts > 0)
      throw new Error(`${this.url}: not only ${status}, but ${others.join(', ')} and ${errors} errors`);
  }
}

/** The create with a number: each has a slot of its own. */
function create(number: number): autocannon.Request {
  if (number >= CELLS) throw new Error('The calendar is full.');
  const cell = (number * STRIDE) % CELLS;
  const start = FIRST_SLOT + Math.floor(cell / RESOURCES) * HOUR;
  const [from, to] = [start, start + HOUR / 2].map((time) => new Date(time).toISOString());
  const slot = { resource_id: `room-${cell % RESOURCES}`, start: from, end: to };
  const body = JSON.stringify({ slot, guest: 'Ada Lovelace', note: 'a quiet place, by the window if there is one' });
  return { method: 'POST', path: '/v1/bookings', headers: { 'Content-Type': 'application/json' }, body };
}
