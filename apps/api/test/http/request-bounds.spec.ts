import { listBookingsQuerySchema } from '@booking-service/contracts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../../src/http/problem.js';
import { readQuery } from '../../src/http/query.js';
import { idempotencyKeyOf, requestIdOf } from '../../src/http/request-head.js';

const requestWith = (headers: Record<string, string>): IncomingMessage => ({ headers }) as unknown as IncomingMessage;

describe('What a request may carry is bounded:', () => {
  it('an X-Request-Id has 128 characters at most, else the request gets a new one', () => {
    const idOf = (given: string): string => {
      return requestIdOf({ req: requestWith({ 'x-request-id': given }) } as unknown as ServerResponse);
    };
    expect(idOf('x'.repeat(128))).toBe('x'.repeat(128));
    expect(idOf('x'.repeat(129))).toMatch(/^[\da-f-]{36}$/);
  });

  it('an Idempotency-Key has 255 characters at most', () => {
    expect(idempotencyKeyOf(requestWith({ 'idempotency-key': 'x'.repeat(255) }))).toHaveLength(255);
    expect(() => idempotencyKeyOf(requestWith({ 'idempotency-key': 'x'.repeat(256) }))).toThrow(Problem);
  });

  it.each([
    ['repeated', (index: number) => `n${index}=&n${index}=`],
    ['unknown', (index: number) => `n${index}=`],
  ])('of the faults of a query, 20 are listed: 50 %s parameters', (_, parameter) => {
    const query = Array.from({ length: 50 }, (_each, index) => parameter(index)).join('&');
    const rejection = ((): unknown => {
      try {
        return readQuery(listBookingsQuerySchema, query);
      } catch (error) {
        return error;
      }
    })();
    expect((rejection as Problem).extras.errors).toHaveLength(20);
  });
});
