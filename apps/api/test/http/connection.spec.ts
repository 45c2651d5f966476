import { once } from 'node:events';
import { FakeConnection } from './fake-connection.js';

const { jest } = import.meta;
const MIB = 1_048_576;
let fake: FakeConnection;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  fake = new FakeConnection();
});

afterEach(() => {
  fake.socket.destroy();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** The events of streams are a moment late. */
const settled = (): Promise<void> =>
  new Promise((resolve) => process.nextTick(() => process.nextTick(() => process.nextTick(resolve))));

describe('A connection', () => {
  describe('that is closed behind its last response', () => {
    beforeEach(() => fake.close());

    it('is gone after half a second', () => {
      jest.advanceTimersByTime(499);
      expect(fake.socket.destroyed).toBe(false);
      jest.advanceTimersByTime(1);
      expect(fake.socket.destroyed).toBe(true);
    });

    it('is gone sooner if its client sends more than 1 MiB meanwhile', () => {
      fake.socket.bytesRead = MIB;
      jest.advanceTimersByTime(100);
      expect(fake.socket.destroyed).toBe(false);
      fake.socket.bytesRead++;
      jest.advanceTimersByTime(100);
      expect(fake.socket.destroyed).toBe(true);
    });

    it('begins no request, and rejects nothing any more', () => {
      fake.accept('/');
      fake.readMalformed();
      fake.connection.failConnect();
      expect([fake.begun, fake.rejected, fake.socket.sent, fake.socket.destroyed]).toEqual([[], [], '', false]);
    });

    it('creates no further requests', () => expect(fake.socket.hasParserStopped).toBe(true));
  });

  it('keeps no process from ending when it is closed', () => {
    const { results } = jest.spyOn(globalThis, 'setTimeout').mock;
    fake.close();
    expect(results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
  });

  it('rejects a request that its owner rejects, and is closed', () => {
    fake.accept('/rejected');
    expect(fake.socket.sent).toMatch(/^HTTP\/1\.1 417 /);
    expect([fake.completed, fake.socket.writable]).toEqual([[['/rejected', 417]], false]);
  });

  it('begins no request that waits behind the response that closes it', () => {
    const first = fake.accept('/1');
    fake.accept('/2');
    fake.close();
    first.end();
    fake.nextTurn();
    expect(fake.begun).toEqual(['/1']);
  });

  it('begins no request that waits once its client is gone', () => {
    const first = fake.accept('/1');
    fake.accept('/2');
    fake.socket.destroy();
    first.emit('close');
    fake.nextTurn();
    expect(fake.begun).toEqual(['/1']);
  });

  it('begins no request that is read once its client is gone', () => {
    fake.socket.destroy();
    fake.accept('/1');
    expect(fake.begun).toEqual([]);
  });

  it('begins a request when those before have their responses, and each was measured', () => {
    jest.advanceTimersByTime(1_000);
    const first = fake.accept('/1');
    fake.accept('/2');
    jest.advanceTimersByTime(250);
    first.end();
    fake.accept('/3');
    expect([fake.begun, fake.completed, fake.seconds]).toEqual([['/1'], [['/1', 200]], 0.25]);
    fake.nextTurn();
    expect(fake.begun).toEqual(['/1', '/2']);
  });

  it('discards the rest of a body behind its response up to 16 MiB', () => {
    fake.accept('/', { complete: false }).end();
    fake.socket.bytesRead = 16 * MIB;
    jest.advanceTimersByTime(100);
    expect(fake.socket.destroyed).toBe(false);
    fake.socket.bytesRead++;
    jest.advanceTimersByTime(100);
    expect(fake.socket.destroyed).toBe(true);
  });

  it('counts nothing of the next request as such a rest', () => {
    const response = fake.accept('/1', { complete: false });
    response.end();
    response.req.complete = true;
    fake.accept('/2', { complete: false });
    fake.socket.bytesRead = 17 * MIB;
    jest.advanceTimersByTime(100);
    expect(fake.socket.destroyed).toBe(false);
  });

  it.each([true, false])(
    'leaves no timer behind when its client is gone in the middle of a body: responded %p',
    async (early) => {
      const response = fake.accept('/', { complete: false });
      if (early) response.end();
      await once(fake.socket.destroy(), 'close');
      if (!early) response.emit('close');
      expect(jest.getTimerCount()).toBe(0);
    },
  );

  it('leaves no timer behind when it was closed while it counted the rest of a body', async () => {
    fake.accept('/', { complete: false }).end();
    fake.close();
    await once(fake.socket.destroy(), 'close');
    // The half second for its client to leave.
    jest.advanceTimersByTime(500);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('counts nothing while it waits for its next request', () => {
    fake.accept('/').end();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is gone at once when its client resets it', () => {
    fake.socket.destroy();
    fake.failWith('ECONNRESET');
    expect([fake.rejected, jest.getTimerCount()]).toEqual([[], 0]);
  });

  describe('is not read while a request waits', () => {
    const isRead = (): boolean => {
      jest.advanceTimersByTime(1);
      return !fake.socket.isPaused();
    };

    beforeEach(async () => {
      fake.socket.resume();
      await settled();
    });

    it('and is once none does', () => {
      const first = fake.accept('/1');
      expect(isRead()).toBe(true);
      fake.accept('/2');
      expect(isRead()).toBe(false);
      first.end();
      fake.nextTurn();
      expect(isRead()).toBe(true);
    });

    it('not for a moment, while another one does', async () => {
      const resumed = jest.fn();
      const first = fake.accept('/1');
      fake.accept('/2');
      fake.accept('/3');
      expect(isRead()).toBe(false);
      fake.socket.on('resume', resumed);
      first.end();
      fake.nextTurn();
      await settled();
      expect(fake.begun).toEqual(['/1', '/2']);
      expect(resumed).not.toHaveBeenCalled();
    });

    it('but it is once it closes', async () => {
      fake.accept('/1');
      fake.accept('/2');
      expect(isRead()).toBe(false);
      fake.close();
      await settled();
      expect(isRead()).toBe(true);
    });

    it('nor behind what is not HTTP, until the last response is sent', () => {
      const first = fake.accept('/1');
      fake.readMalformed();
      expect([isRead(), fake.socket.hasParserStopped]).toEqual([false, true]);
      first.end();
      expect(isRead()).toBe(true);
    });

    it('and is read to its end if that is sent in the same step', () => {
      const first = fake.accept('/1');
      fake.readMalformed();
      first.end();
      expect(isRead()).toBe(true);
    });
  });

  describe('is ended as idle', () => {
    const isEndedAfter = (time: number): boolean => {
      jest.advanceTimersByTime(time);
      fake.connection.endIdle(100);
      return fake.socket.destroyed;
    };

    it('100 ms after its last response, if that is the limit', () => {
      const response = fake.accept('/');
      jest.advanceTimersByTime(1_000);
      response.end();
      expect(isEndedAfter(100)).toBe(false);
      expect(isEndedAfter(1)).toBe(true);
    });

    it('not when it was rejected just now, but idle before', () => {
      jest.advanceTimersByTime(1_000);
      fake.readMalformed();
      expect(isEndedAfter(100)).toBe(false);
    });

    it.each([
      ['a request is in flight', () => void fake.accept('/')],
      ['a request waits', () => [fake.accept('/1'), fake.accept('/2')][0]!.end()],
      [
        'its client has not read all responses',
        () => {
          fake.socket.clientReads = false;
          fake.socket.write('unread');
        },
      ],
    ])('not while %s', (_, before) => {
      before();
      expect(isEndedAfter(1_000)).toBe(false);
    });
  });

  describe('whose last requests are in flight', () => {
    const isEndedAfter = (time: number): boolean => {
      jest.advanceTimersByTime(time);
      fake.connection.endUnfinished(100);
      return fake.socket.destroyed;
    };

    it('is ended after 100 ms, if that is the limit', () => {
      fake.accept('/');
      expect(isEndedAfter(1_000)).toBe(false);
      fake.readMalformed();
      expect(isEndedAfter(100)).toBe(false);
      expect(isEndedAfter(1)).toBe(true);
    });

    it('is not while its client reads a response', () => {
      fake.accept('/');
      fake.socket.clientReads = false;
      fake.socket.write('unread');
      fake.readMalformed();
      expect(isEndedAfter(1_000)).toBe(false);
    });
  });

  it('takes 16 requests that wait: with one more, the last of them closes it', () => {
    const responses = Array.from({ length: 17 }, (_, index) => fake.accept(`/${index}`));
    expect(fake.socket.hasParserStopped).toBe(false);
    fake.accept('/17');
    expect(fake.socket.hasParserStopped).toBe(true);
    for (const response of responses) {
      response.end();
      fake.nextTurn();
    }
    expect(fake.begun).toEqual([...Array.from({ length: 16 }, (_, index) => `/${index}`), '/16, the last']);
    expect(fake.socket.writable).toBe(false);
  });
});
