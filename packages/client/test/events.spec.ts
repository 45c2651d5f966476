import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bookingCreatedExample, bookingDeletedExample, pingExample } from '@booking-service/contracts/events';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { type InvalidEventReason, InvalidEventError, parseBookingEvent } from '../src/events.js';

const { jest } = import.meta;
const secretOf = (length: number) => `whsec_${Buffer.alloc(length, length).toString('base64')}`;
const secret = secretOf(24);
const next = secretOf(64);
const now = Date.parse('2026-12-01T09:00:00Z');
const seconds = now / 1000;
const body = JSON.stringify(bookingCreatedExample);
const { id } = bookingCreatedExample;

/** Signs with an independent implementation of Standard Webhooks. */
function headersFor(text = body, secrets = [secret], timestamp = seconds, ofId = id) {
  const signatures = secrets.map((each) => new Webhook(each).sign(ofId, new Date(timestamp * 1000), text));
  return { 'webhook-id': ofId, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signatures.join(' ') };
}

const good = headersFor();
const { 'webhook-signature': signature } = good;

async function reasonOf(parsed: Promise<unknown>): Promise<InvalidEventReason> {
  const error: unknown = await parsed.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(InvalidEventError);
  return (error as InvalidEventError).reason;
}

describe('parseBookingEvent', () => {
  it('returns an event with the details of its booking', async () => {
    const event = await parseBookingEvent<{ guest: { name: string } }>(body, good, secret, { now });
    expect(event).toEqual(bookingCreatedExample);
    const guest: string | undefined = event.type === 'bookings.booking.created' ? event.data.guest.name : undefined;
    expect(guest).toBe('Ada');
  });

  it.each([bookingDeletedExample, pingExample, { ...pingExample, id: 'x', type: 'bookings.later' }])(
    'returns an event of the type $type',
    async (event) => {
      const text = JSON.stringify(event);
      const headers = headersFor(text, [secret], seconds, event.id);
      await expect(parseBookingEvent(text, headers, secret, { now })).resolves.toEqual(event);
    },
  );

  it('accepts headers of `fetch` and of Node, in any case', async () => {
    const upper = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(good).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(good), upper, lists]) {
      await expect(parseBookingEvent(body, form, secret, { now })).resolves.toEqual(bookingCreatedExample);
    }
  });

  it('computes one HMAC for each secret, whatever the number of signatures', async () => {
    const sign = jest.spyOn(crypto.subtle, 'sign');
    const verify = jest.spyOn(crypto.subtle, 'verify');
    const many = Array.from({ length: 300 }, (_, index) => `v1,${Buffer.alloc(32, index).toString('base64')}`);
    const headers = { ...good, 'webhook-signature': many.join(' ') };
    expect(await reasonOf(parseBookingEvent(body, headers, [secret, next], { now }))).toBe('signature');
    expect(sign.mock.calls.length + verify.mock.calls.length).toBe(2);
    jest.restoreAllMocks();
  });

  it('accepts the request of docs/events.md, whose signature is as the page says', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/events.md'), 'utf8');
    const [, head = '', text = ''] = /```\nPOST .*\n([^`]+)\n\n(\{.*\})\n```/.exec(page) ?? [];
    const lines = head.split('\n').map((line) => line.split(': ') as [string, string]);
    const headers = Object.fromEntries(lines);
    const given = /signed with\s+`(whsec_[^`]+)`/.exec(page)?.[1] ?? '';
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const key = Buffer.from(given.replace('whsec_', ''), 'base64');
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    const options = { now: Number(headers['webhook-timestamp']) * 1000 };
    await expect(parseBookingEvent(text, headers, given, options)).resolves.toEqual(JSON.parse(text));
  });

  const among = `v1a,${'A'.repeat(86)}== ${signature} v2,x`;
  it.each<[string, Record<string, string>, string | string[]]>([
    ['of both secrets of a rotation, if the old one is given', headersFor(body, [secret, next]), secret],
    ['of both secrets of a rotation, if the new one is given', headersFor(body, [secret, next]), next],
    ['of the old secret, if both are given', headersFor(body, [secret]), [next, secret]],
    ['of the new secret, if both are given', headersFor(body, [next]), [next, secret]],
    ['among those of unknown versions', { ...good, 'webhook-signature': among }, secret],
    ['that is 300 seconds old', headersFor(body, [secret], seconds - 300), secret],
    ['that is 300 seconds ahead', headersFor(body, [secret], seconds + 300), secret],
  ])('accepts a signature %s', async (_, headers, known) => {
    await expect(parseBookingEvent(body, headers, known, { now })).resolves.toHaveProperty('id', id);
  });
});

type Row = [InvalidEventReason, { text?: string; headers?: Record<string, string>; known?: string[] }];

describe('parseBookingEvent rejects', () => {
  const misnamed = JSON.stringify({ ...bookingCreatedExample, id: 'created-other' });
  const ofSignature = (given: string): Row => ['signature', { headers: { 'webhook-signature': given } }];
  const ofTime = (given: string): Row => ['timestamp', { headers: { 'webhook-timestamp': given } }];
  const ofBody = (text: string): Row => ['body', { text, headers: headersFor(text) }];

  it.each<Row>([
    ['signature', { text: `${body} ` }],
    ['signature', { text: body.replace('room-7', 'room-8') }],
    ['signature', { headers: { 'webhook-id': 'created-x' } }],
    ['signature', { headers: { 'webhook-timestamp': `${seconds + 1}` } }],
    ['signature', { headers: headersFor(body, [next]) }],
    ['signature', { headers: headersFor(body, [secretOf(25), secretOf(26)]), known: [secret, next] }],
    ...['v1', 'v1,', 'v1,AAAA', 'none', ','].map(ofSignature),
    ...['v2', 'V1', 'v1a', 'xv1'].map((version) => ofSignature(signature.replace('v1', version))),
    ...Object.keys(good).map((name): Row => ['header', { headers: { [name]: '' } }]),
    ['timestamp', { headers: headersFor(body, [secret], seconds - 301) }],
    ['timestamp', { headers: headersFor(body, [secret], seconds + 301) }],
    ...[' ', 'x', '-1', '1e99', 'NaN', `${seconds}.5`, `+${seconds}`].map(ofTime),
    ...['null', '[]', '1', '"x"', '{', '', misnamed].map(ofBody),
  ])('a wrong %s: %j', async (reason, { text = body, headers = {}, known = [secret] }) => {
    expect(await reasonOf(parseBookingEvent(text, { ...good, ...headers }, known, { now }))).toBe(reason);
  });

  it.each(Object.keys(good))('a request without %s', async (name) => {
    const { [name]: _, ...rest } = good as Record<string, string>;
    expect(await reasonOf(parseBookingEvent(body, rest, secret, { now }))).toBe('header');
    expect(await reasonOf(parseBookingEvent(body, new Headers(rest), secret, { now }))).toBe('header');
  });

  it('a request older than `tolerance`', async () => {
    const minuteOld = headersFor(body, [secret], seconds - 60);
    expect(await reasonOf(parseBookingEvent(body, minuteOld, secret, { now, tolerance: 59 }))).toBe('timestamp');
    expect(await reasonOf(parseBookingEvent(body, minuteOld, secret, { now, tolerance: NaN }))).toBe('timestamp');
  });

  it('an old request, by default by `Date.now()`', async () => {
    expect(await reasonOf(parseBookingEvent(body, good, secret))).toBe('timestamp');
    const fresh = headersFor(body, [secret], Math.floor(Date.now() / 1000));
    await expect(parseBookingEvent(body, fresh, secret)).resolves.toHaveProperty('id', id);
  });

  it.each(['', 'whsec_', secret.slice(6), 'whsec_!', secretOf(23), secretOf(65), `${secret}\n`, secret.slice(0, -1)])(
    'a malformed secret with a TypeError that does not contain it: %j',
    async (wrong) => {
      const parsed = parseBookingEvent(body, good, wrong, { now });
      await expect(parsed).rejects.toThrow(new TypeError('A secret is `whsec_` and the Base64 of 24 to 64 bytes.'));
    },
  );

  it('a missing secret and a parsed body with a TypeError', async () => {
    await expect(parseBookingEvent(body, good, [], { now })).rejects.toThrow(TypeError);
    await expect(parseBookingEvent({} as string, good, secret, { now })).rejects.toThrow(TypeError);
  });
});

describe('The examples of the contracts', () => {
  it.each([bookingCreatedExample, bookingDeletedExample, pingExample])('are CloudEvents: $type', (event) => {
    const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    const taken = HTTP.toEvent({ headers, body: JSON.stringify(event) }) as CloudEvent;
    expect(taken.validate()).toBe(true);
    expect(taken.toJSON()).toMatchObject(event);
  });
});
