import { Problem } from '../../src/http/problem.js';

describe('A problem', () => {
  it('has the members of its type, and further ones where there are some', () => {
    expect(new Problem('invalid-request', 'Why.').toDto('/v1')).toEqual({
      type: expect.stringMatching(/invalid-request$/),
      title: expect.any(String),
      status: 400,
      detail: 'Why.',
      instance: '/v1',
    });
    const errors = [{ pointer: '#/a', detail: 'is required' }];
    expect(new Problem('invalid-booking', undefined, { errors, members: { more: 1 } }).toDto('')).toMatchObject({
      status: 422,
      detail: expect.stringMatching(/^\w.*\.$/),
      errors,
      more: 1,
    });
  });

  it('is a response with its headers', () => {
    const { status, contentType, headers } = new Problem('internal', undefined, { headers: { A: 'b' } }).toReply('/');
    expect([status, contentType, headers]).toEqual([500, 'application/problem+json', ['A', 'b']]);
  });

  it('collects no stack, and leaves that of other errors', () => {
    const { stackTraceLimit } = Error;
    expect(new Problem('internal').stack).not.toContain('\n    at ');
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    expect(new Error().stack).toContain('\n    at ');
  });
});
