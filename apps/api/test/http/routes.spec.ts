import type { MiddlewareConsumer } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Problem } from '../../src/http/problem.js';
import { atUndecodablePaths, isUnderV1, methodsAt, operationOf, otherMethod } from '../../src/http/routes.js';

const { jest } = import.meta;
const requestTo = (path: string | undefined, method: string): Request => {
  return { method, route: path && { path } } as unknown as Request;
};

describe('operationOf', () => {
  it.each([
    ['/v1/bookings', 'POST', 'createBooking'],
    ['/v1/bookings/:booking_id', 'GET', 'getBooking'],
    ['/v1/bookings', 'DELETE', 'other'],
    ['/v1/made-up', 'GET', 'other'],
    [undefined, 'GET', 'other'],
  ])('%s %s is %s', (path, method, operation) => expect(operationOf(requestTo(path, method))).toBe(operation));
});

describe('isUnderV1', () => {
  it.each([
    ['/v1', true],
    ['/v1/', true],
    ['/v1/bookings', true],
    ['/v1bookings', false],
    ['/v2', false],
    ['/', false],
  ])('%s: %p', (path, isUnder) => expect(isUnderV1(path)).toBe(isUnder));
});

describe('otherMethod', () => {
  it('lists the methods of a path, with HEAD beside GET', () => {
    expect(methodsAt('/v1/bookings')).toBe('GET, HEAD, POST, OPTIONS');
    expect(methodsAt('/v1/made-up')).toBe('OPTIONS');
  });

  it('responds to OPTIONS with Allow', () => {
    expect(otherMethod(requestTo('/', 'OPTIONS'), 'GET, OPTIONS')).toMatchObject({
      status: 204,
      contentType: undefined,
      headers: ['Allow', 'GET, OPTIONS'],
    });
  });

  it('rejects every other method', () => {
    const problem = ((): unknown => {
      try {
        return otherMethod(requestTo('/', 'TRACE'), 'GET');
      } catch (error) {
        return error;
      }
    })() as Problem;
    expect([problem.type, problem.extras.headers]).toEqual(['method-not-allowed', { Allow: 'GET' }]);
  });
});

describe('atUndecodablePaths', () => {
  const passTo = async (path: string, admit: () => Promise<void>): Promise<unknown[]> => {
    let middleware!: (request: Request, response: Response, next: NextFunction) => Promise<void>;
    const forRoutes = jest.fn();
    const consumer = {
      apply: (given: typeof middleware) => {
        middleware = given;
        return { forRoutes };
      },
    };
    atUndecodablePaths(consumer as unknown as MiddlewareConsumer, admit);
    expect(forRoutes).toHaveBeenCalledWith('v1');
    const next = jest.fn();
    await middleware({ path } as Request, {} as Response, next);
    expect(next).toHaveBeenCalledTimes(1);
    return next.mock.calls[0]!;
  };
  const rejected = new Error('rejected');
  const reject = (): Promise<void> => Promise.reject(rejected);

  it.each([
    ['admits a path that can be decoded, which a guard checks', '/v1/%C3%A9', reject, []],
    ['rejects one that cannot', '/v1/%', reject, [rejected]],
    ['lets one pass that is admitted', '/v1/%ff', () => Promise.resolve(), []],
  ])('%s', async (_, path, admit, passed) => expect(await passTo(path, admit)).toEqual(passed));
});
