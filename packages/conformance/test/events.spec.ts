import { freePort } from 'testing';
import { checks } from '../src/checks/index.js';
import { EventsReceiver } from '../src/events-receiver.js';
import { runConformance } from '../src/index.js';
import { NotifyingService, secret } from './plain/notifying-service.js';

const ofEvents = checks.filter(({ level }) => level === 'events');

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
