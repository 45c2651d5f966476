import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Connection } from '../../src/http/connection.js';
import { Problem } from '../../src/http/problem.js';

const { jest } = import.meta;
const MIB = 1_048_576;

/** The server's end of a connection, without a network. */
class FakeSocket extends Duplex {
  bytesRead = 0;
  sent = '';
  clientReads = true;
  readonly onIncoming = (): number => 0;
  parser: { onIncoming: () => number } | null = { onIncoming: this.onIncoming };

  override _read(): void {}

  override _write(bytes: Buffer, _: string, done: () => void): void {
    this.sent += bytes.toString();
    if (this.clientReads) done();
  }

  get hasParserStopped(): boolean {
    return this.parser?.onIncoming !== this.onIncoming;
  }
}

class FakeResponse extends EventEmitter {
  readonly req;
  headersSent = false;
  writableFinished = false;
  statusCode = 200;

  constructor(url: string, complete: boolean) {
    super();
    this.req = { url, complete, method: 'POST', headers: {}, pause: jest.fn() };
  }

  end(): void {
    this.writableFinished = true;
    this.emit('close');
  }
}

describe('A connection', () => {
  let socket: FakeSocket;
  let connection: Connection;
  let begun: string[];
  let completed: unknown[][];
  let seconds: number;
  let rejected: (string | undefined)[];
  let turns: (() => void)[];

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    [begun, completed, rejected, turns] = [[], [], [], []];
    socket = new FakeSocket();
    connection = new Connection(socket as unknown as Socket, {
      begin: ({ req }, isLast) => {
        if (req.url === '/rejected') throw new Problem('expectation-failed');
        begun.push(isLast ? `${req.url}, the last` : req.url!);
      },
      completed: ({ req }, status, taken) => {
        completed.push([req.url, status]);
        seconds = taken;
      },
      rejected: ({ type }, _id, response) => void rejected.push(`${type} ${response?.req.url}`),
      schedule: (begin) => void turns.push(begin),
    });
  });

  afterEach(() => {
    socket.destroy();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** A request that is read from it. */
  const accept = (url: string, { complete = true } = {}): FakeResponse => {
    const response = new FakeResponse(url, complete);
    connection.accept(response as unknown as ServerResponse);
    return response;
  };
  const failWith = (code: string): void => connection.fail(Object.assign(new Error(), { code }));
  const readMalformed = (): void => failWith('HPE_INVALID_METHOD');
  const serverCloses = (): void => (socket as unknown as Socket).destroySoon();
  const nextTurn = (): void => {
    for (const begin of turns.splice(0)) begin();
  };
  /** The events of streams are a moment late. */
  const settled = (): Promise<void> =>
    new Promise((resolve) => process.nextTick(() => process.nextTick(() => process.nextTick(resolve))));

  describe('that is closed behind its last response', () => {
    beforeEach(serverCloses);

    it('is gone after half a second', () => {
      jest.advanceTimersByTime(499);
      expect(socket.destroyed).toBe(false);
      jest.advanceTimersByTime(1);
      expect(socket.destroyed).toBe(true);
    });

    it('is gone sooner if its client sends more than 1 MiB meanwhile', () => {
      socket.bytesRead = MIB;
      jest.advanceTimersByTime(100);
      expect(socket.destroyed).toBe(false);
      socket.bytesRead++;
      jest.advanceTimersByTime(100);
      expect(socket.destroyed).toBe(true);
    });

    it('begins no request, and rejects nothing any more', () => {
      accept('/');
      readMalformed();
      connection.failConnect();
      expect([begun, rejected, socket.sent, socket.destroyed]).toEqual([[], [], '', false]);
    });

    it('creates no further requests', () => expect(socket.hasParserStopped).toBe(true));
  });

  it('keeps no process from ending when it is closed', () => {
    const { results } = jest.spyOn(globalThis, 'setTimeout').mock;
    serverCloses();
    expect(results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
  });

  it('rejects a request that its owner rejects, and is closed', () => {
    accept('/rejected');
    expect(socket.sent).toMatch(/^HTTP\/1\.1 417 /);
    expect([completed, socket.writable]).toEqual([[['/rejected', 417]], false]);
  });

  it('begins no request that waits behind the response that closes it', () => {
    const first = accept('/1');
    accept('/2');
    serverCloses();
    first.end();
    nextTurn();
    expect(begun).toEqual(['/1']);
  });

  it('begins no request that waits once its client is gone', () => {
    const first = accept('/1');
    accept('/2');
    socket.destroy();
    first.emit('close');
    nextTurn();
    expect(begun).toEqual(['/1']);
  });

  it('begins no request that is read once its client is gone', () => {
    socket.destroy();
    accept('/1');
    expect(begun).toEqual([]);
  });

  it('begins a request when those before have their responses, and each was measured', () => {
    jest.advanceTimersByTime(1_000);
    const first = accept('/1');
    accept('/2');
    jest.advanceTimersByTime(250);
    first.end();
    accept('/3');
    expect([begun, completed, seconds]).toEqual([['/1'], [['/1', 200]], 0.25]);
    nextTurn();
    expect(begun).toEqual(['/1', '/2']);
  });

  it('discards the rest of a body behind its response up to 16 MiB', () => {
    accept('/', { complete: false }).end();
    socket.bytesRead = 16 * MIB;
    jest.advanceTimersByTime(100);
    expect(socket.destroyed).toBe(false);
    socket.bytesRead++;
    jest.advanceTimersByTime(100);
    expect(socket.destroyed).toBe(true);
  });

  it('counts nothing of the next request as such a rest', () => {
    const response = accept('/1', { complete: false });
    response.end();
    response.req.complete = true;
    accept('/2', { complete: false });
    socket.bytesRead = 17 * MIB;
    jest.advanceTimersByTime(100);
    expect(socket.destroyed).toBe(false);
  });

  it.each([true, false])(
    'leaves no timer behind when its client is gone in the middle of a body: responded %p',
    async (early) => {
      const response = accept('/', { complete: false });
      if (early) response.end();
      await once(socket.destroy(), 'close');
      if (!early) response.emit('close');
      expect(jest.getTimerCount()).toBe(0);
    },
  );

  it('leaves no timer behind when it was closed while it counted the rest of a body', async () => {
    accept('/', { complete: false }).end();
    serverCloses();
    await once(socket.destroy(), 'close');
    // The half second for its client to leave.
    jest.advanceTimersByTime(500);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('counts nothing while it waits for its next request', () => {
    accept('/').end();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is gone at once when its client resets it', () => {
    socket.destroy();
    failWith('ECONNRESET');
    expect([rejected, jest.getTimerCount()]).toEqual([[], 0]);
  });

  describe('is not read while a request waits', () => {
    const isRead = (): boolean => {
      jest.advanceTimersByTime(1);
      return !socket.isPaused();
    };

    beforeEach(async () => {
      socket.resume();
      await settled();
    });

    it('and is once none does', () => {
      const first = accept('/1');
      expect(isRead()).toBe(true);
      accept('/2');
      expect(isRead()).toBe(false);
      first.end();
      nextTurn();
      expect(isRead()).toBe(true);
    });

    it('not for a moment, while another one does', async () => {
      const resumed = jest.fn();
      const first = accept('/1');
      accept('/2');
      accept('/3');
      expect(isRead()).toBe(false);
      socket.on('resume', resumed);
      first.end();
      nextTurn();
      await settled();
      expect(begun).toEqual(['/1', '/2']);
      expect(resumed).not.toHaveBeenCalled();
    });

    it('but it is once it closes', async () => {
      accept('/1');
      accept('/2');
      expect(isRead()).toBe(false);
      serverCloses();
      await settled();
      expect(isRead()).toBe(true);
    });

    it('nor behind what is not HTTP, until the last response is sent', () => {
      const first = accept('/1');
      readMalformed();
      expect([isRead(), socket.hasParserStopped]).toEqual([false, true]);
      first.end();
      expect(isRead()).toBe(true);
    });

    it('and is read to its end if that is sent in the same step', () => {
      const first = accept('/1');
      readMalformed();
      first.end();
      expect(isRead()).toBe(true);
    });
  });

  describe('is ended as idle', () => {
    const isEndedAfter = (time: number): boolean => {
      jest.advanceTimersByTime(time);
      connection.endIdle(100);
      return socket.destroyed;
    };

    it('100 ms after its last response, if that is the limit', () => {
      const response = accept('/');
      jest.advanceTimersByTime(1_000);
      response.end();
      expect(isEndedAfter(100)).toBe(false);
      expect(isEndedAfter(1)).toBe(true);
    });

    it('not when it was rejected just now, but idle before', () => {
      jest.advanceTimersByTime(1_000);
      readMalformed();
      expect(isEndedAfter(100)).toBe(false);
    });

    it.each([
      ['a request is in flight', () => void accept('/')],
      ['a request waits', () => [accept('/1'), accept('/2')][0]!.end()],
      [
        'its client has not read all responses',
        () => {
          socket.clientReads = false;
          socket.write('unread');
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
      connection.endUnfinished(100);
      return socket.destroyed;
    };

    it('is ended after 100 ms, if that is the limit', () => {
      accept('/');
      expect(isEndedAfter(1_000)).toBe(false);
      readMalformed();
      expect(isEndedAfter(100)).toBe(false);
      expect(isEndedAfter(1)).toBe(true);
    });

    it('is not while its client reads a response', () => {
      accept('/');
      socket.clientReads = false;
      socket.write('unread');
      readMalformed();
      expect(isEndedAfter(1_000)).toBe(false);
    });
  });

  describe('on which something is read that is no request', () => {
    const responses = (): string[] => socket.sent.match(/(?<=^HTTP\/1\.1 )\d+|(?<="instance":").*?(?=")/gm) ?? [];

    it('rejects it, and is closed', () => {
      readMalformed();
      expect([responses(), rejected, socket.writable]).toEqual([['400', ''], ['invalid-request undefined'], false]);
    });

    it('rejects the request of which it is the body, once, and hands on no more of that', () => {
      const response = accept('/', { complete: false });
      readMalformed();
      response.end();
      expect([responses(), rejected, completed]).toEqual([['400', '/'], ['invalid-request /'], [['/', 400]]]);
      expect(response.req.pause).toHaveBeenCalled();
    });

    it('does not reject a request that its client broke off', () => {
      accept('/', { complete: false });
      failWith('HPE_INVALID_EOF_STATE');
      expect(completed).toEqual([['/', 'aborted']]);
    });

    it('writes nothing into a response that has begun', () => {
      const response = accept('/', { complete: false });
      response.headersSent = true;
      readMalformed();
      expect(socket.writable).toBe(true);
      response.end();
      expect([responses(), rejected, completed]).toEqual([[], [], [['/', 200]]]);
      expect(socket.writable).toBe(false);
    });

    it('writes nothing behind a response whose request has a broken body', () => {
      accept('/', { complete: false }).end();
      readMalformed();
      expect([responses(), rejected, socket.writable]).toEqual([[], [], false]);
    });

    it('rejects it behind the responses of the requests before', () => {
      const first = accept('/1');
      accept('/2', { complete: false });
      readMalformed();
      expect(responses()).toEqual([]);
      first.end();
      expect([begun, responses(), rejected]).toEqual([['/1'], ['400', '/2'], ['invalid-request undefined']]);
    });

    it('takes nothing that comes behind it', () => {
      const first = accept('/1');
      readMalformed();
      accept('/2');
      connection.failConnect();
      first.end();
      nextTurn();
      expect([begun, rejected]).toEqual([['/1'], ['invalid-request undefined']]);
      expect(socket.sent).not.toContain('CONNECT');
    });

    it('says with no response before that it is the last', () => {
      const first = accept('/1');
      accept('/2');
      readMalformed();
      first.end();
      nextTurn();
      expect(begun).toEqual(['/1', '/2']);
    });

    it('rejects it if the response before was sent just now', () => {
      const first = accept('/1');
      accept('/2', { complete: false });
      first.end();
      readMalformed();
      nextTurn();
      expect([begun, responses()]).toEqual([['/1'], ['400', '/2']]);
    });

    it('rejects nothing once its client is gone', () => {
      const response = accept('/');
      readMalformed();
      socket.destroy();
      response.emit('close');
      expect([rejected, completed]).toEqual([[], [['/', 'aborted']]]);
    });
  });

  it('takes 16 requests that wait: with one more, the last of them closes it', () => {
    const responses = Array.from({ length: 17 }, (_, index) => accept(`/${index}`));
    expect(socket.hasParserStopped).toBe(false);
    accept('/17');
    expect(socket.hasParserStopped).toBe(true);
    for (const response of responses) {
      response.end();
      nextTurn();
    }
    expect(begun).toEqual([...Array.from({ length: 16 }, (_, index) => `/${index}`), '/16, the last']);
    expect(socket.writable).toBe(false);
  });

  describe('on which CONNECT was read', () => {
    beforeEach(() => {
      // As Node does.
      socket.removeAllListeners();
      socket.parser = null;
    });

    it('rejects it', () => {
      connection.failConnect();
      expect(socket.sent).toMatch(/^HTTP\/1\.1 400 .*CONNECT is not supported/s);
    });

    it('has a listener of errors, without which one would end the process', () => {
      connection.failConnect();
      expect(socket.listenerCount('error')).toBe(1);
    });

    it('is ended when a response before it is not read in time', () => {
      accept('/');
      connection.failConnect();
      socket.emit('timeout');
      expect(socket.destroyed).toBe(true);
    });

    it('goes on with a response before it when its client reads on', () => {
      const drained = jest.fn();
      accept('/').on('drain', drained);
      connection.failConnect();
      socket.emit('drain');
      expect(drained).toHaveBeenCalled();
    });
  });
});
