import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { UnsentResponses } from '../../src/http/unsent-responses.js';

const { jest } = import.meta;

class FakeResponse extends EventEmitter {
  readonly setTimeout = jest.fn();
  readonly destroy = jest.fn();
  writableLength = 0;

  get isCutOff(): boolean {
    return this.destroy.mock.calls.length > 0;
  }
}

describe('UnsentResponses', () => {
  let unsent: UnsentResponses;
  let now: jest.SpiedFunction<typeof performance.now>;

  beforeEach(() => {
    unsent = new UnsentResponses(30_000, 100);
    now = jest.spyOn(performance, 'now').mockReturnValue(0);
  });

  afterEach(() => now.mockRestore());

  /** A response of which so many bytes wait to be read. */
  const write = (bytes: number, response = new FakeResponse()): FakeResponse => {
    response.writableLength = bytes;
    unsent.written(response as unknown as ServerResponse);
    return response;
  };
  const areCutOff = (...responses: FakeResponse[]): boolean[] => responses.map(({ isCutOff }) => isCutOff);

  it('are bounded in bytes: beyond it, those that have waited longest are cut off, and no more than have to be', () => {
    const responses = [write(50), write(50)];
    expect(areCutOff(...responses)).toEqual([false, false]);
    expect(areCutOff(...responses, write(50))).toEqual([true, false, false]);
    responses[0]!.emit('close');
    expect(areCutOff(...responses, write(50))).toEqual([true, true, false]);
  });

  it('count once, however often they were written to', () => {
    const responses = [write(50), write(10)];
    write(20, responses[1]);
    write(50, responses[1]);
    expect(areCutOff(...responses)).toEqual([false, false]);
    write(51, responses[1]);
    expect(areCutOff(...responses)).toEqual([true, false]);
  });

  it('do not count once they are read', () => {
    const [first, second] = [write(100), write(0)];
    first.emit('close');
    expect(areCutOff(first, second, write(100))).toEqual([false, false, false]);
    // Only one that has to wait has listeners.
    expect(second.listenerCount('close')).toBe(0);
  });

  it('keep one, however large it is', () => {
    expect(areCutOff(write(1_000))).toEqual([false]);
  });

  it('are given up by Node without progress, for which one listener of each is enough', () => {
    const response = write(10);
    write(20, response);
    expect(response.setTimeout.mock.calls).toEqual([[30_000]]);
    expect(response.listenerCount('close')).toBe(1);
  });

  it('make room for a connection after a second, the oldest first', () => {
    const [first, second] = [write(10), write(10)];
    now.mockReturnValue(500);
    write(20, first);
    now.mockReturnValue(1_000);
    unsent.cutOffOldest();
    expect(areCutOff(first, second)).toEqual([false, false]);
    now.mockReturnValue(1_001);
    unsent.cutOffOldest();
    expect(areCutOff(first, second)).toEqual([true, false]);
  });

  it('make no room where they were read', () => {
    const [first, second] = [write(10), write(10)];
    first.emit('close');
    now.mockReturnValue(1_001);
    unsent.cutOffOldest();
    expect(areCutOff(first, second)).toEqual([false, true]);
  });

  it('make no room where there are none', () => expect(() => unsent.cutOffOldest()).not.toThrow());
});
