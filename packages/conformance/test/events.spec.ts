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
import { type PlainEvent, secret, NotifyingBookings, NotifyingService } from './plain/notifying-service.js';

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

class DeliversNothing extends NotifyingBookings {
  protected override notify(): void {}
}

class LosesOne extends NotifyingBookings {
  #count = 0;

  protected override notify(kept: Kept): void {
    if (++this.#count !== 3) super.notify(kept);
  }
}

class DeliversOnce extends NotifyingBookings {
  protected override async send(event: PlainEvent): Promise<void> {
    await this.post(event);
  }
}

class SignsAnotherText extends NotifyingBookings {
  protected override signature(signed: string): string {
    return super.signature(signed.toLowerCase());
  }
}

class ReformatsBookings extends NotifyingBookings {
  protected override event(kept: Kept): PlainEvent {
    const event = super.event(kept);
    return { ...event, body: JSON.stringify(JSON.parse(event.body), null, 1) };
  }
}

const faults: [string, NotifyingBookings, string[]][] = [
  ['delivers nothing', new DeliversNothing(), ofEvents.map(({ id }) => id.replace('events.', ''))],
  ['loses one', new LosesOne(), ['delivered']],
  ['delivers once', new DeliversOnce(), ['delivered', 'again']],
  ['signs another text', new SignsAnotherText(), ['signature']],
  ['writes a booking anew', new ReformatsBookings(), ['data']],
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
