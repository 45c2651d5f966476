import { createServer, type Server, type Socket } from 'node:net';
import type { LookupFunction } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { listen, Receiver, respond, until } from 'testing';
import { WebhookSender, type SenderSettings } from '../../src/features/events/webhook-sender.js';

const { jest } = import.meta;
let receiver: Receiver;
let sender: WebhookSender | undefined;
let raw: Server | undefined;

beforeEach(async () => void (receiver = await Receiver.start()));
afterEach(async () => {
  jest.restoreAllMocks();
  sender?.close();
  raw?.close();
  await receiver.close();
});

function open(settings: Partial<SenderSettings> = {}): WebhookSender {
  sender = new WebhookSender({ allowPrivate: true, timeout: 60_000, ...settings });
  return sender;
}

/** Sends an event that is never given up. */
const sendBy = (by: WebhookSender, url: string) => by.send(url, {}, '{}', new AbortController().signal);
const send = (url: string, settings: Partial<SenderSettings> = {}) => sendBy(open(settings), url);

async function startRawServer(onRequest: (socket: Socket) => void): Promise<string> {
  raw = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => onRequest(socket));
  });
  const { url } = await listen(raw);
  return url;
}

describe('A request', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://2130706433:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
  ])('goes to no private address: %s', async (url) => {
    const { port } = new URL(receiver.url);
    const result = await send(url.replace('PORT', port), { allowPrivate: false });
    expect(result).toMatchObject({ outcome: 'private_address' });
    expect(receiver.received).toEqual([]);
    expect(await receiver.connections).toBe(0);
  });

  it('checks the address at the connection, whatever the name resolved to before', async () => {
    const addresses = ['203.0.113.1', '127.0.0.1'];
    const lookup: LookupFunction = (_, { all }, callback) => {
      const address = addresses.shift()!;
      callback(null, all ? [{ address, family: 4 }] : address, 4);
    };
    // A public address that leads nowhere, then this machine.
    const rebound = open({ allowPrivate: false, timeout: 300, lookup });
    const url = receiver.url.replace('127.0.0.1', 'hooks.example');
    expect(await sendBy(rebound, url)).not.toMatchObject({ outcome: 'delivered' });
    expect(await sendBy(rebound, url)).toMatchObject({ outcome: 'private_address' });
    expect(await receiver.connections).toBe(0);
  });

  it('shares the lookup of a name with others, while it is in progress', async () => {
    const lookups: (() => void)[] = [];
    const lookup: LookupFunction = (_, { all }, callback) => {
      const address = '127.0.0.1';
      lookups.push(() => callback(null, all ? [{ address, family: 4 }] : address, 4));
    };
    const url = receiver.url.replace('127.0.0.1', 'hooks.example');
    const sharing = open({ lookup });
    receiver.behaviour = respond(204, { connection: 'close' });
    for (const total of [1, 2]) {
      const sending = Array.from({ length: 16 }, () => sendBy(sharing, url));
      await until(() => lookups.length === total);
      await setImmediate();
      expect(lookups).toHaveLength(total);
      lookups.at(-1)!();
      const results = await Promise.all(sending);
      expect(new Set(results.map(({ reason }) => reason))).toEqual(new Set(['204']));
    }
  });

  it('times out if the receiver hangs, and says so', async () => {
    receiver.behaviour = () => {};
    const timedOut = { outcome: 'timeout', reason: 'no response within 300 ms' };
    expect(await send(receiver.url, { timeout: 300 })).toMatchObject(timedOut);
  });

  it('reads little of an endless response, and for a second at most', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536);
    for (const pause of [0, 20]) {
      receiver.behaviour = (_, response) => {
        const timer = setInterval(() => {
          if (pause === 0) sent += chunk.length;
          response.write(pause === 0 ? chunk : '.');
        }, pause);
        response.writeHead(200).on('close', () => clearInterval(timer));
      };
      expect(await send(receiver.url)).toMatchObject({ outcome: 'delivered', reason: '200' });
      await until(async () => (await receiver.connections) === 0);
    }
    // Both sides of a connection have buffers.
    expect(sent).toBeLessThan(2e7);
  });

  it('is sent again, within the same time limit, only if a reused connection turns out to be closed', async () => {
    let requests = 0;
    const url = await startRawServer((socket) => {
      requests++;
      if (requests === 4) socket.destroy();
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      socket.once('data', () => {
        requests++;
        socket.destroy();
      });
    });
    const kept = open();
    expect(await sendBy(kept, url)).toMatchObject({ reason: '204' });
    await setImmediate();
    const timers = jest.spyOn(globalThis, 'setTimeout');
    expect(await sendBy(kept, url)).toMatchObject({ reason: '204' });
    expect(timers.mock.calls.filter(([, milliseconds]) => milliseconds === 60_000)).toHaveLength(1);
    expect(requests).toBe(3);
    kept.close();
    expect(await send(url)).toMatchObject({ outcome: 'unreachable' });
    expect(requests).toBe(4);
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['99999999', 86_400_000],
    ['soon', 0],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('reads Retry-After: %s as %s milliseconds', async (header, retryAfter) => {
    receiver.behaviour = respond(503, { 'retry-after': header });
    expect(await send(receiver.url)).toEqual({ outcome: 'retry', reason: '503', retryAfter });
  });
});
