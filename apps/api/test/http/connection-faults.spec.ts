import { FakeConnection } from './fake-connection.js';

const { jest } = import.meta;
let fake: FakeConnection;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  fake = new FakeConnection();
});

afterEach(() => {
  fake.socket.destroy();
  jest.useRealTimers();
});

describe('A connection on which something is read that is no request', () => {
  const responses = (): string[] => fake.socket.sent.match(/(?<=^HTTP\/1\.1 )\d+|(?<="instance":").*?(?=")/gm) ?? [];

  it('rejects it, and is closed', () => {
    fake.readMalformed();
    expect([responses(), fake.rejected, fake.socket.writable]).toEqual([
      ['400', ''],
      ['invalid-request undefined'],
      false,
    ]);
  });

  it('rejects the request of which it is the body, once, and hands on no more of that', () => {
    const response = fake.accept('/', { complete: false });
    fake.readMalformed();
    response.end();
    expect([responses(), fake.rejected, fake.completed]).toEqual([['400', '/'], ['invalid-request /'], [['/', 400]]]);
    expect(response.req.pause).toHaveBeenCalled();
  });

  it('does not reject a request that its client broke off', () => {
    fake.accept('/', { complete: false });
    fake.failWith('HPE_INVALID_EOF_STATE');
    expect(fake.completed).toEqual([['/', 'aborted']]);
  });

  it('writes nothing into a response that has begun', () => {
    const response = fake.accept('/', { complete: false });
    response.headersSent = true;
    fake.readMalformed();
    expect(fake.socket.writable).toBe(true);
    response.end();
    expect([responses(), fake.rejected, fake.completed]).toEqual([[], [], [['/', 200]]]);
    expect(fake.socket.writable).toBe(false);
  });

  it('writes nothing behind a response whose request has a broken body', () => {
    fake.accept('/', { complete: false }).end();
    fake.readMalformed();
    expect([responses(), fake.rejected, fake.socket.writable]).toEqual([[], [], false]);
  });

  it('rejects it behind the responses of the requests before', () => {
    const first = fake.accept('/1');
    fake.accept('/2', { complete: false });
    fake.readMalformed();
    expect(responses()).toEqual([]);
    first.end();
    expect([fake.begun, responses(), fake.rejected]).toEqual([['/1'], ['400', '/2'], ['invalid-request undefined']]);
  });

  it('takes nothing that comes behind it', () => {
    const first = fake.accept('/1');
    fake.readMalformed();
    fake.accept('/2');
    fake.connection.failConnect();
    first.end();
    fake.nextTurn();
    expect([fake.begun, fake.rejected]).toEqual([['/1'], ['invalid-request undefined']]);
    expect(fake.socket.sent).not.toContain('CONNECT');
  });

  it('says with no response before that it is the last', () => {
    const first = fake.accept('/1');
    fake.accept('/2');
    fake.readMalformed();
    first.end();
    fake.nextTurn();
    expect(fake.begun).toEqual(['/1', '/2']);
  });

  it('rejects it if the response before was sent just now', () => {
    const first = fake.accept('/1');
    fake.accept('/2', { complete: false });
    first.end();
    fake.readMalformed();
    fake.nextTurn();
    expect([fake.begun, responses()]).toEqual([['/1'], ['400', '/2']]);
  });

  it('rejects nothing once its client is gone', () => {
    const response = fake.accept('/');
    fake.readMalformed();
    fake.socket.destroy();
    response.emit('close');
    expect([fake.rejected, fake.completed]).toEqual([[], [['/', 'aborted']]]);
  });
});

describe('A connection on which CONNECT was read', () => {
  beforeEach(() => {
    // As Node does.
    fake.socket.removeAllListeners();
    fake.socket.parser = null;
  });

  it('rejects it', () => {
    fake.connection.failConnect();
    expect(fake.socket.sent).toMatch(/^HTTP\/1\.1 400 .*CONNECT is not supported/s);
  });

  it('has a listener of errors, without which one would end the process', () => {
    fake.connection.failConnect();
    expect(fake.socket.listenerCount('error')).toBe(1);
  });

  it('is ended when a response before it is not read in time', () => {
    fake.accept('/');
    fake.connection.failConnect();
    fake.socket.emit('timeout');
    expect(fake.socket.destroyed).toBe(true);
  });

  it('goes on with a response before it when its client reads on', () => {
    const drained = jest.fn();
    fake.accept('/').on('drain', drained);
    fake.connection.failConnect();
    fake.socket.emit('drain');
    expect(drained).toHaveBeenCalled();
  });
});
