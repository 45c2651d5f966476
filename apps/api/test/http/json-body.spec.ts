import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'express';
import { z } from 'zod';
import { jsonBodyOf } from '../../src/http/json-body.js';
import type { Problem } from '../../src/http/problem.js';

const { jest } = import.meta;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const schema = z.looseObject({ guest: z.string().optional() });

interface Sent {
  headers?: Record<string, string>;
  body?: string | Buffer;
  minor?: number;
}

describe('jsonBodyOf', () => {
  let writeContinue: jest.Mock;

  /** A request whose body is read to its end, unless `body` is undefined: then it never comes. */
  const requestOf = ({ headers = {}, body, minor = 1 }: Sent): Request => {
    const request = new IncomingMessage(new Socket());
    for (const [name, value] of Object.entries(headers)) {
      request.headers[name.toLowerCase()] = value;
      request.headersDistinct[name.toLowerCase()] = value.split(', ');
    }
    request.httpVersionMinor = minor;
    writeContinue = jest.fn();
    if (body !== undefined) {
      request.push(Buffer.from(body));
      request.complete = true;
      request.push(null);
    }
    return Object.assign(request, { res: { writeContinue } }) as unknown as Request;
  };
  const problemOf = async (request: Request): Promise<Problem> => {
    const rejection = jsonBodyOf(request, schema).then(
      () => Promise.reject(new Error('not rejected')),
      (problem: Problem) => problem,
    );
    const isRead = sleep(1_000, undefined, { ref: false }).then(() => Promise.reject(new Error('waits for the body')));
    return Promise.race([rejection, isRead]);
  };

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json ;Charset="UTF-8" ;',
  ])('reads JSON of the type %s', async (type) => {
    const body = '{"guest":"Ada"}';
    const declared = requestOf({ headers: { 'Content-Type': type, 'Content-Length': '15' }, body });
    expect(await jsonBodyOf(declared, schema)).toEqual({ guest: 'Ada' });
    const chunked = requestOf({ headers: { 'Content-Type': type, 'Content-Encoding': 'Identity' }, body });
    expect(await jsonBodyOf(chunked, schema)).toEqual({ guest: 'Ada' });
  });

  it.each([
    ['no type', {}],
    ['another one', { 'Content-Type': 'text/plain' }],
    ['another charset', { 'Content-Type': 'application/json; charset=latin1' }],
    ['a parameter', { 'Content-Type': 'application/json; a=b' }],
    ['an encoding', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }],
  ])('rejects a body with %s, by Content-Length before it is read', async (_, headers) => {
    const declared = requestOf({ headers: { ...headers, 'Content-Length': '2', Expect: '100-continue' } });
    expect((await problemOf(declared)).type).toBe('unsupported-media-type');
    expect(writeContinue).not.toHaveBeenCalled();
    expect((await problemOf(requestOf({ headers, body: '{}' }))).type).toBe('unsupported-media-type');
  });

  it('says what it would take instead', async () => {
    const type = await problemOf(requestOf({ body: '{}' }));
    expect(type.extras.headers).toEqual({ Accept: 'application/json' });
    const encoding = await problemOf(requestOf({ headers: { ...JSON_TYPE, 'Content-Encoding': 'br' }, body: '{}' }));
    expect(encoding.extras.headers).toEqual({ 'Accept-Encoding': 'identity' });
    expect(encoding.detail).toContain('Content-Encoding');
  });

  it('rejects two types', async () => {
    const request = requestOf({ headers: { 'Content-Type': 'application/json, text/plain' }, body: '{}' });
    expect(await problemOf(request)).toMatchObject({
      type: 'invalid-request',
      detail: expect.stringContaining('more than'),
    });
  });

  it('rejects more than 65,536 bytes by Content-Length, before any of them is read', async () => {
    const request = requestOf({ headers: { ...JSON_TYPE, 'Content-Length': '65537', Expect: '100-continue' } });
    expect((await problemOf(request)).type).toBe('payload-too-large');
    expect(writeContinue).not.toHaveBeenCalled();
  });

  it('rejects more than 65,536 bytes in chunks', async () => {
    const body = JSON.stringify('x'.repeat(65_534));
    expect((await problemOf(requestOf({ headers: JSON_TYPE, body }))).type).toBe('invalid-booking');
    expect((await problemOf(requestOf({ headers: JSON_TYPE, body: `${body} ` }))).type).toBe('payload-too-large');
  });

  it.each([
    ['sends 100 Continue to a client that waits for it', 1, 1],
    ['sends none in HTTP/1.0', 0, 0],
  ])('%s', async (_, minor, times) => {
    const headers = { ...JSON_TYPE, 'Content-Length': '2', Expect: '100-continue' };
    await jsonBodyOf(requestOf({ headers, body: '{}', minor }), schema);
    expect(writeContinue).toHaveBeenCalledTimes(times);
  });

  it('sends no 100 Continue to a client that does not wait for it', async () => {
    await jsonBodyOf(requestOf({ headers: JSON_TYPE, body: '{}' }), schema);
    expect(writeContinue).not.toHaveBeenCalled();
  });

  it('reads a missing body as the empty object', async () => {
    expect(await jsonBodyOf(requestOf({ body: '' }), schema)).toEqual({});
  });

  it('rejects a missing body of a page of another origin, unless it has a type', async () => {
    const headers = { Origin: 'http://elsewhere', Host: 'localhost' };
    expect(await problemOf(requestOf({ headers, body: '' }))).toMatchObject({
      type: 'unsupported-media-type',
      detail: expect.stringContaining('another origin'),
    });
    expect(await jsonBodyOf(requestOf({ headers: { ...headers, ...JSON_TYPE }, body: '' }), schema)).toEqual({});
  });

  it.each([
    ['is not UTF-8', Buffer.from('7b22c3227d', 'hex'), 'The body is not UTF-8'],
    ['begins with a byte order mark', '\uFEFF{}', 'The body is not JSON'],
    ['is not JSON', '{', 'The body is not JSON'],
  ])('rejects a body that %s', async (_, body, detail) => {
    const problem = await problemOf(requestOf({ headers: JSON_TYPE, body }));
    expect(problem).toMatchObject({ type: 'invalid-request', detail: expect.stringContaining(detail) });
  });

  it('quotes no half of a surrogate pair', async () => {
    const problem = await problemOf(requestOf({ headers: JSON_TYPE, body: `{"a":${'🙂'.repeat(20)}` }));
    expect(problem.detail).toMatch(/^The body is not JSON/);
    expect(problem.detail).not.toMatch(/\p{Surrogate}/u);
  });

  it('rejects a body whose client is gone', async () => {
    const request = requestOf({ headers: JSON_TYPE });
    request.destroy();
    expect(await problemOf(request)).toMatchObject({ type: 'invalid-request', detail: 'The body is incomplete.' });
  });

  it('rejects what does not match the schema, with its faults', async () => {
    const problem = await problemOf(requestOf({ headers: JSON_TYPE, body: '{"guest":1}' }));
    expect(problem).toMatchObject({ type: 'invalid-booking', extras: { errors: [{ pointer: '#/guest' }] } });
  });
});
