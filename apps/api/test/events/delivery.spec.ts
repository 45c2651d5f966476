import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { aSecret, Receiver, respond, until } from 'testing';
import { aResource, aSlot, create } from '../support/bookings.js';
import { EventsFixture } from './events-fixture.js';

let fixture: EventsFixture;
let receiver: Receiver;
let other: Receiver;

beforeEach(async () => {
  [fixture, receiver, other] = await Promise.all([EventsFixture.create(), Receiver.start(), Receiver.start()]);
});
afterEach(async () => {
  await fixture.close();
  await Promise.all([receiver.close(), other.close()]);
});

const countUp = (length: number) => Array.from({ length }, (_, n) => n);
const sorted = (numbers: readonly (number | undefined)[]) => numbers.toSorted((one, two) => one! - two!);

describe('Events', () => {
  it('are sent as CloudEvents with the bytes of the booking, signed as Standard Webhooks', async () => {
    const fresh = aSecret(64);
    fixture.setEndpoints({ name: 'billing', url: receiver.url, secrets: [fixture.secret, fresh] });
    const service = await fixture.start();
    const slot = aSlot(aResource());
    const { text } = await service.api.post('/v1/bookings').send({ slot, guest: 'Zoë ☕', amount: 1.5 }).expect(201);
    const booking = JSON.parse(text) as { booking_id: string; created_at: string };
    await until(() => receiver.received.length === 1);
    const [{ headers, body, method, path }] = receiver.received as [(typeof receiver.received)[0]];
    expect([method, path]).toEqual(['POST', '/hook']);
    expect(body).toBe(
      `{"specversion":"1.0","id":"created-${booking.booking_id}","source":"/v1/bookings","type":"bookings.booking.created","subject":"${booking.booking_id}","time":"${booking.created_at}","datacontenttype":"application/json","data":${text}}`,
    );
    expect(headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': `created-${booking.booking_id}`,
    });
    const signed = { ...headers } as Record<string, string>;
    for (const secret of [fixture.secret, fresh]) {
      expect(new Webhook(secret).verify(body, signed)).toMatchObject({ data: booking });
    }
    expect(() => new Webhook(aSecret()).verify(body, signed)).toThrow('No matching signature found');
    expect(() => new Webhook(fixture.secret).verify(`${body} `, signed)).toThrow('No matching signature found');
  });

  it.each([500, 302, 404])('wait for an endpoint that responds %i, which is sent one at a time', async (status) => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url }, { name: 'doors', url: other.url });
    receiver.behaviour = respond(status);
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    await until(() => receiver.received.length > 0);
    for (let n = 1; n < 6; n++) await create(service.api, { n });
    await until(() => other.accepted.length === 6 && receiver.received.length >= 3);
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    expect(await metrics()).toMatch(/webhook_oldest_event_seconds\{endpoint="billing"\} \d/);
    expect(await metrics()).toMatch(/webhook_attempts_total\{endpoint="billing",outcome="retry"\} [1-9]/);
    expect(await metrics()).toContain('webhook_pending_events{endpoint="billing"} 6');
    expect(await metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 0');
    receiver.behaviour = respond(200);
    await until(() => receiver.accepted.length === 6);
    await until(async () => (await metrics()).includes('webhook_endpoint_up{endpoint="billing"} 1'));
    expect(await metrics()).toContain('webhook_attempts_total{endpoint="billing",outcome="delivered"} 6');
    expect(await metrics()).toContain('webhook_dead_letters{endpoint="billing"} 0');
    expect(sorted(receiver.numbers)).toEqual(countUp(6));
    expect(other.received).toHaveLength(6);
    const turns = service.logged.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(turns.filter((line) => line.startsWith('billing'))).toEqual([
      `billing fails, and is retried: ${status}.`,
      'billing is back.',
    ]);
  });

  it('are no longer sent to a URL that responds 410, but to another one of that endpoint', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    receiver.behaviour = respond(410);
    const service = await fixture.start();
    await create(service.api, { n: 0 });
    const metrics = async (): Promise<string> => (await service.api.get('/metrics')).text;
    await until(async () => (await metrics()).includes('webhook_endpoint_up{endpoint="billing"} -1'));
    await create(service.api, { n: 1 });
    await sleep(600);
    expect(receiver.received).toHaveLength(1);
    fixture.setEndpoints({ name: 'billing', url: other.url });
    await until(() => other.accepted.length === 2);
    expect(sorted(other.numbers)).toEqual([0, 1]);
    expect(await metrics()).toContain('webhook_endpoint_up{endpoint="billing"} 1');
  });

  it('that wait for an endpoint in no file are shown, so that an alarm can say so', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    const service = await fixture.start();
    fixture.setEndpoints({ name: 'doors', url: other.url });
    await until(async () => (await service.api.get('/metrics')).text.includes('{endpoint="doors"}'));
    await create(service.api, { n: 0 });
    await until(() => other.accepted.length === 1);
    const { text } = await service.api.get('/metrics');
    expect(text).toContain('webhook_pending_events{endpoint="billing"} 1');
    expect(text).toMatch(/webhook_oldest_event_seconds\{endpoint="billing"\} \d/);
    expect(receiver.received).toEqual([]);
  });
});
