import { freePort } from 'testing';
import { checks } from '../src/checks/index.js';
import { Connection } from '../src/connection.js';
import { DeploymentPayload } from '../src/deployment.js';
import { EventsReceiver, type Delivered } from '../src/events-receiver.js';
import { runConformance } from '../src/index.js';
import { type CheckResult, resultOf } from '../src/result.js';
import { Service } from '../src/service.js';
import { Specimens } from '../src/specimens.js';
import { collectDeliveries } from '../src/deliveries.js';
import { judged } from './judged.js';
import type { Kept } from './plain/plain-bookings.js';
import { digits, type PlainEvent, secret, NotifyingBookings, NotifyingService } from './plain/notifying-service.js';

const ofEvents = checks.filter(({ level }) => level === 'events');

/** What the checks of events alone say of a service. */
async function judgedBy(bookings: NotifyingBookings): Promise<CheckResult[]> {
  const [service, port] = [new NotifyingService(bookings), await freePort()];
  const connection = new Connection(new URL(await service.start()), {}, 5_000, new DeploymentPayload(undefined));
  const receiver = await EventsReceiver.start({ port, secret });
  service.endpoint = `http://127.0.0.1:${port}/`;
  let delivered: Promise<Delivered> | undefined;
  const checked = new Service(connection, new Specimens(connection, false), true, (each) => {
    return (delivered ??= collectDeliveries(each, receiver, 700));
  });
  const results: CheckResult[] = [];
  for (const check of ofEvents) results.push(await resultOf(check, () => check.run(checked)));
  connection.close();
  receiver.close();
  await service.stop();
  return results;
}

async function failuresOf(bookings: NotifyingBookings): Promise<string[]> {
  const results = await judgedBy(bookings);
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id.replace('events.', ''));
}

/** Changes every event. */
function changing(change: (event: PlainEvent, sequence: number) => PlainEvent): NotifyingBookings {
  return new (class extends NotifyingBookings {
    protected override event(kept: Kept, sequence: number): PlainEvent {
      return change(super.event(kept, sequence), sequence);
    }
  })();
}

const withHeader = (name: string, value: string) =>
  changing(({ headers, body }) => ({ headers: { ...headers, [name]: value }, body }));
const withBody = (change: (body: string) => string) =>
  changing(({ headers, body }) => ({ headers, body: change(body) }));

class DeliversNothing extends NotifyingBookings {
  protected override notify(): void {}
}

class LosesOne extends NotifyingBookings {
  protected override notify(kept: Kept): void {
    if (this.sequence === 2) this.sequence++;
    else super.notify(kept);
  }
}

class DeliversOnce extends NotifyingBookings {
  protected override async send(event: PlainEvent): Promise<void> {
    await this.post(event);
  }
}

class DeliversLaterOnesMeanwhile extends NotifyingBookings {
  #rejected: PlainEvent | undefined;

  protected override async send(event: PlainEvent): Promise<void> {
    const again = this.#rejected;
    this.#rejected = undefined;
    if (!(await this.post(event))) this.#rejected = event;
    if (again !== undefined) await super.send(again);
  }
}

class DeliversBackwards extends NotifyingBookings {
  readonly #waiting: PlainEvent[] = [];

  protected override async send(event: PlainEvent): Promise<void> {
    this.#waiting.unshift(event);
    if (this.#waiting.length === 5) for (const each of this.#waiting) await super.send(each);
  }
}

class NumbersEachAttempt extends NotifyingBookings {
  protected override async post(event: PlainEvent): Promise<boolean> {
    return super.post({
      ...event,
      body: event.body.replace(/"sequence":"\d+"/, `"sequence":"${digits(++this.sequence)}"`),
    });
  }
}

class SignsForever extends NotifyingBookings {
  protected override timestamp(): string {
    return '1763650465';
  }
}

class SignsAnotherText extends NotifyingBookings {
  protected override signature(signed: string): string {
    return super.signature(signed.toLowerCase());
  }
}

const faults: [string, NotifyingBookings, string[]][] = [
  ['delivers nothing', new DeliversNothing(), ofEvents.map(({ id }) => id.replace('events.', ''))],
  ['loses one', new LosesOne(), ['told', 'order', 'previous']],
  ['sends JSON of no special type', withHeader('content-type', 'application/json'), ['media-type']],
  ['signs another text', new SignsAnotherText(), ['signature']],
  ['signs for another time than now', new SignsForever(), ['timestamp']],
  ['leaves a member out', withBody((body) => body.replace('"datacontenttype":"application/json",', '')), ['members']],
  ['has ids of its own', withBody((body) => body.replace('"id":"created-', '"id":"')), ['members']],
  ['writes a booking anew', withBody((body) => JSON.stringify(JSON.parse(body), null, 1)), ['data']],
  ['changes a booking', withBody((body) => body.replace('"data":{', '"data":{"more":1,')), ['data']],
  [
    'numbers in few digits',
    withBody((body) => body.replace('"sequence":"00000000', '"sequence":"')),
    ['sequence', 'previous'],
  ],
  ['gives each attempt a number', new NumbersEachAttempt(), ['sequence', 'previous', 'again']],
  ['delivers backwards', new DeliversBackwards(), ['order', 'again']],
  ['says nothing of the event before', withBody((body) => body.replace('"previous"', '"before"')), ['previous']],
  [
    'says the same of every event before',
    withBody((body) => body.replace(/"previous":"\d+"/, `"previous":"${digits(0)}"`)),
    ['previous'],
  ],
  ['delivers once', new DeliversOnce(), ['told', 'again']],
  ['goes on with a resource meanwhile', new DeliversLaterOnesMeanwhile(), ['again']],
];

describe('A service that notifies an endpoint', () => {
  it('as the interface says passes, in a run of every level', async () => {
    const [service, port] = [new NotifyingService(), await freePort()];
    const url = await service.start();
    service.endpoint = `http://127.0.0.1:${port}/`;
    try {
      const { level, results } = await runConformance({ url, events: { port, secret } });
      expect(level).toBe('events');
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      const delivered = results.filter(({ id }) => id.startsWith('events.')).map(({ outcome }) => outcome);
      expect(delivered).toEqual(ofEvents.map(() => 'passed'));
    } finally {
      await service.stop();
    }
  });

  it.each(faults)('and %s fails the checks of that, and no other', async (_what, bookings, failures) => {
    expect(await failuresOf(bookings)).toEqual(failures);
  });

  it('has no check of it where no events are received', async () => {
    const { results } = await judged(new NotifyingService(), { level: 'specification' });
    expect(results.filter(({ id }) => id.startsWith('events.'))).toEqual([]);
  });
});

describe('Where events are received', () => {
  const url = 'http://127.0.0.1:1';

  it.each([
    ['without a place', { level: 'events' as const }, /the level is events: say where/],
    ['at no port', { events: { port: 0, secret } }, /the port of events is 0/],
    ['with no secret', { events: { port: 1, secret: 'x' } }, /the secret of events is not whsec_/],
    ['with a short secret', { events: { port: 1, secret: 'whsec_AAAA' } }, /the secret of events is not whsec_/],
  ])('is delivered, or the run does not begin: %s', async (_what, options, message) => {
    await expect(runConformance({ url, ...options })).rejects.toThrow(message);
  });

  it('has to be free', async () => {
    const port = await freePort();
    const receiver = await EventsReceiver.start({ port, secret });
    await expect(runConformance({ url, events: { port, secret } })).rejects.toThrow(/nothing can listen on port/);
    receiver.close();
  });
});
