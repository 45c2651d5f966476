import { type Api, api } from '../support/api.js';
import { aResource, aSlot, create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
let path: string;
let etag: string;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
  const { booking_id } = await create(service, { slot: aSlot(aResource()) });
  path = `/v1/bookings/${booking_id}`;
  etag = (await service.get(path).expect(200)).headers['etag']!;
});
afterAll(() => running.close());

describe('A booking that the caller has', () => {
  const having: [string, () => string][] = [
    ['its ETag', () => etag],
    ['its ETag, marked as weak', () => `W/${etag}`],
    ['any ETag', () => '*'],
    ['a list with its ETag last', () => `"other", W/"x", ${etag}`],
    ['a list with its ETag first', () => `${etag},"other"`],
  ];

  it.each(having)('is not sent again to %s', async (_, ifNoneMatch) => {
    const { text, headers } = await service.get(path).set('If-None-Match', ifNoneMatch()).expect(304);
    expect(text).toBe('');
    expect(headers['etag']).toBe(etag);
    expect(headers).not.toHaveProperty('content-type');
  });

  it.each(having)('is not sent again to %s with Cache-Control: no-cache, which fetch adds', async (_, ifNoneMatch) => {
    const headers = { 'If-None-Match': ifNoneMatch(), 'Cache-Control': 'no-cache', Pragma: 'no-cache' };
    await service.get(path).set(headers).expect(304);
  });

  it('is not sent again to fetch itself', async () => {
    const { status } = await fetch(running.url + path, { headers: { 'If-None-Match': etag } });
    expect(status).toBe(304);
  });

  it('is not sent again whatever If-Modified-Since says', async () => {
    const headers = { 'If-None-Match': etag, 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' };
    await service.get(path).set(headers).expect(304);
  });

  it('responds to HEAD in the same way', async () => {
    await service.head(path).set('If-None-Match', etag).expect(304);
    await service.head(path).set('If-None-Match', '"other"').expect(200);
  });
});

describe('A booking that the caller does not have', () => {
  it.each([
    ['another ETag', () => '"other"'],
    ['its ETag without quotes', () => etag.slice(1, -1)],
    ['its ETag in upper case', () => etag.toUpperCase()],
    ['a part of its ETag', () => `${etag.slice(0, -2)}"`],
    ['an empty ETag', () => '""'],
    ['others and a star in quotes', () => '"other", "*"'],
    ['nothing', () => ''],
  ])('is sent whole to %s', async (_, ifNoneMatch) => {
    const { body } = await service.get(path).set('If-None-Match', ifNoneMatch()).expect(200);
    expect(body).toHaveProperty('booking_id');
  });

  it('is not found, whatever the caller has', async () => {
    await service.get('/v1/bookings/nothing').set('If-None-Match', '*').expect(404);
    await service.get('/v1/bookings/nothing').set('If-None-Match', etag).expect(404);
  });
});
