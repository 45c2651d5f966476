import { createHmac } from 'node:crypto';
import { bookingCreatedExample, bookingDeletedExample, pingExample } from '@booking-service/contracts/events';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { type EventFault, InvalidEventError, parseBookingEvent } from '../src/events.js';

const secretOf = (length: number) => `whsec_${Buffer.alloc(length, length).toString('base64')}`;
const [secret, next] = [secretOf(24), secretOf(64)];
const now = Date.parse('2026-12-01T09:00:00Z');
const seconds = now / 1000;
const body = JSON.stringify(bookingCreatedExample);
const { id } = bookingCreatedExample;

/** What Standard Webhooks says that the headers of an event are; nothing here is shared with what is tested. */
function headersFor(text = body, secrets = [secret], timestamp: number | string = seconds, ofId = id) {
  const signatures = secrets.map((each) => {
    const key = Buffer.from(each.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${ofId}.${timestamp}.${text}`).digest('base64')}`;
  });
  return { 'webhook-id': ofId, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signatures.join(' ') };
}

async function faultOf(parsed: Promise<unknown>): Promise<EventFault> {
  const error: unknown = await parsed.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvalidEventError);
  return (error as InvalidEventError).fault;
}

describe('parseBookingEvent', () => {
  it('returns the event, whose booking has the details of its creator', async () => {
    const event = await parseBookingEvent<{ guest: { name: string } }>(body, headersFor(), secret, { now });
    expect(event).toEqual(bookingCreatedExample);
    const guest: string | undefined = event.type === 'bookings.booking.created' ? event.data.guest.name : undefined;
    expect(guest).toBe('Ada');
  });

  it('returns a deletion, which has the slot that is free again', async () => {
    const text = JSON.stringify(bookingDeletedExample);
    const headers = headersFor(text, [secret], seconds, bookingDeletedExample.id);
    const event = await parseBookingEvent(text, headers, secret, { now });
    expect(event).toEqual(bookingDeletedExample);
    const room = event.type === 'bookings.booking.deleted' ? event.data.slot?.resource_id : undefined;
    expect(room).toBe('room-7');
  });

  it('returns a ping, and an event of a type that is not known yet', async () => {
    for (const event of [pingExample, { ...pingExample, id: 'x', type: 'bookings.later' }]) {
      const text = JSON.stringify(event);
      const headers = headersFor(text, [secret], seconds, event.id);
      await expect(parseBookingEvent(text, headers, secret, { now })).resolves.toEqual(event);
    }
  });

  it('accepts headers as `fetch` has them, as Node has them, and in any letter case', async () => {
    const headers = headersFor();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), upper, lists]) {
      await expect(parseBookingEvent(body, form, secret, { now })).resolves.toEqual(bookingCreatedExample);
    }
  });

  it('reads the text as it is signed, in UTF-8', async () => {
    const text = JSON.stringify({ ...bookingCreatedExample, data: { ...bookingCreatedExample.data, note: '窓 🪟' } });
    await expect(parseBookingEvent(text, headersFor(text), secret, { now })).resolves.toMatchObject({
      data: { note: '窓 🪟' },
    });
  });

  it.each([
    ['the old secret knows an event of both', [secret, next], secret],
    ['the new secret knows an event of both', [secret, next], next],
    ['both secrets know an event of the old one', [secret], [next, secret]],
    ['both secrets know an event of the new one', [next], [next, secret]],
  ])('goes on during a rotation: %s', async (_what, signing, known) => {
    await expect(parseBookingEvent(body, headersFor(body, signing), known, { now })).resolves.toHaveProperty('id', id);
  });

  it('accepts a signature among others of unknown versions', async () => {
    const headers = headersFor();
    const among = `v1a,${'A'.repeat(86)}== ${headers['webhook-signature']} v2,x`;
    await expect(
      parseBookingEvent(body, { ...headers, 'webhook-signature': among }, secret, { now }),
    ).resolves.toHaveProperty('id', id);
  });

  it.each([-300, 300])('accepts a timestamp that is %i s from now', async (away) => {
    const headers = headersFor(body, [secret], seconds + away);
    await expect(parseBookingEvent(body, headers, secret, { now })).resolves.toHaveProperty('id', id);
  });
});

describe('parseBookingEvent rejects', () => {
  const rejected = (text: string, headers: Record<string, string>, known: string | string[] = secret) =>
    faultOf(parseBookingEvent(text, headers, known, { now }));

  it('a body with any of its bytes changed', async () => {
    for (let at = 0; at < body.length; at += 7) {
      const changed = `${body.slice(0, at)}${body[at] === '0' ? '1' : '0'}${body.slice(at + 1)}`;
      expect(await rejected(changed, headersFor())).toBe('signature');
    }
    for (const other of [`${body} `, body.slice(0, -1), '']) {
      expect(await rejected(other, headersFor())).toBe('signature');
    }
  });

  it('another id and another time than were signed', async () => {
    const headers = headersFor();
    expect(await rejected(body, { ...headers, 'webhook-id': 'created-x' })).toBe('signature');
    expect(await rejected(body, { ...headers, 'webhook-timestamp': `${seconds + 1}` })).toBe('signature');
  });

  it('an event that is signed with another secret', async () => {
    expect(await rejected(body, headersFor(body, [next]))).toBe('signature');
    expect(await rejected(body, headersFor(body, [secretOf(25), secretOf(26)]), [secret, next])).toBe('signature');
  });

  it.each(['', 'v1', 'v1,', 'v1,AAAA', 'none', ','])('a signature that is %j', async (text) => {
    const headers = { ...headersFor(), 'webhook-signature': text };
    expect(await rejected(body, headers)).toBe(text === '' ? 'header' : 'signature');
  });

  it.each(['v2', 'V1', 'v1a', 'xv1'])('a good signature under the version %s', async (version) => {
    const { 'webhook-signature': signature, ...headers } = headersFor();
    const renamed = signature.replace('v1', version);
    expect(await rejected(body, { ...headers, 'webhook-signature': renamed })).toBe('signature');
  });

  it.each(Object.keys(headersFor()))('a request without %s', async (name) => {
    expect(await rejected(body, { ...headersFor(), [name]: '' })).toBe('header');
    const rest = Object.fromEntries(Object.entries(headersFor()).filter(([each]) => each !== name));
    expect(await rejected(body, rest)).toBe('header');
    expect(await faultOf(parseBookingEvent(body, new Headers(rest), secret, { now }))).toBe('header');
  });

  it.each([seconds - 301, seconds + 301, 0, '', ' ', 'x', '-1', '1e99', 'NaN', `${seconds}.5`, `+${seconds}`])(
    'a time that is not near now, or none: %j',
    async (timestamp) => {
      const fault = await rejected(body, headersFor(body, [secret], timestamp));
      expect(fault).toBe(timestamp === '' ? 'header' : 'timestamp');
    },
  );

  it('by the requested tolerance', async () => {
    const minuteOld = headersFor(body, [secret], seconds - 60);
    expect(await faultOf(parseBookingEvent(body, minuteOld, secret, { now, tolerance: 59 }))).toBe('timestamp');
    expect(await faultOf(parseBookingEvent(body, minuteOld, secret, { now, tolerance: NaN }))).toBe('timestamp');
  });

  it('by the clock of this machine, where no time is given', async () => {
    expect(await faultOf(parseBookingEvent(body, headersFor(), secret))).toBe('timestamp');
    const fresh = headersFor(body, [secret], Math.floor(Date.now() / 1000));
    await expect(parseBookingEvent(body, fresh, secret)).resolves.toHaveProperty('id', id);
  });

  it.each(['null', '[]', '1', '"x"', '{', '', JSON.stringify({ ...bookingCreatedExample, id: 'created-other' })])(
    'a signed text that is not an event: %s',
    async (text) => {
      expect(await rejected(text, headersFor(text))).toBe('body');
    },
  );

  it.each(['', 'whsec_', secret.slice(6), 'whsec_!', secretOf(23), secretOf(65), `${secret}\n`, secret.slice(0, -1)])(
    'a malformed secret, with a TypeError that does not repeat it: %j',
    async (wrong) => {
      const parsed = parseBookingEvent(body, headersFor(), wrong, { now });
      await expect(parsed).rejects.toThrow(new TypeError('A secret is `whsec_` and the Base64 of 24 to 64 bytes.'));
    },
  );

  it('a missing secret and a parsed body, with a TypeError', async () => {
    await expect(parseBookingEvent(body, headersFor(), [], { now })).rejects.toThrow(TypeError);
    await expect(parseBookingEvent({} as string, headersFor(), secret, { now })).rejects.toThrow(TypeError);
  });
});

describe('Other implementations agree with this one', () => {
  it('`standardwebhooks` verifies what we verify, and rejects what we reject', async () => {
    const headers = headersFor(body, [next, secret], Math.floor(Date.now() / 1000));
    const theirs = new Webhook(secret);
    expect(theirs.verify(body, headers)).toEqual(await parseBookingEvent(body, headers, secret));
    expect(() => theirs.verify(`${body} `, headers)).toThrow('No matching signature found');
    expect(() => new Webhook(secretOf(32)).verify(body, headers)).toThrow('No matching signature found');
  });

  it('we verify what `standardwebhooks` signs', async () => {
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    const signature = new Webhook(next).sign(id, at, body);
    const headers = { 'webhook-id': id, 'webhook-timestamp': `${at.getTime() / 1000}`, 'webhook-signature': signature };
    await expect(parseBookingEvent(body, headers, next)).resolves.toEqual(bookingCreatedExample);
  });

  it.each([bookingCreatedExample, bookingDeletedExample, pingExample])('`cloudevents` takes $type', (event) => {
    const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    const taken = HTTP.toEvent({ headers, body: JSON.stringify(event) }) as CloudEvent;
    expect(taken.validate()).toBe(true);
    expect(taken.toJSON()).toMatchObject(event);
  });
});
