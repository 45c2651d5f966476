import { ServiceProcess } from 'testing';
import { aResource, aSlot } from './support/bookings.js';

async function post(url: string, payload: object, key?: string) {
  const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) };
  const response = await fetch(`${url}/v1/bookings`, { method: 'POST', headers, body: JSON.stringify(payload) });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

it('A full store in memory rejects a create with 503 and keeps nothing of it, and still replays, rejects, gets and lists', async () => {
  const service = await ServiceProcess.start({ MEMORY_MAX_BOOKINGS: '2' });
  const slot = aSlot(aResource());
  const first = await post(service.url, { slot }, 'first');
  await post(service.url, {});
  const rejected = await post(service.url, { slot: aSlot(aResource()) }, 'next');
  expect([rejected.status, rejected.retryAfter]).toEqual([503, null]);
  expect((await post(service.url, { slot }, 'first')).text).toBe(first.text);
  expect((await post(service.url, { slot })).status).toBe(409);
  const { bookings } = (await (await fetch(`${service.url}/v1/bookings`)).json()) as { bookings: object[] };
  expect(bookings).toHaveLength(2);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  await service.stop();
});
