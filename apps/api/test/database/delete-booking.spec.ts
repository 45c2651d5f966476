import { Receiver } from 'testing';
import { aKey, aResource, aSlot, create } from '../support/bookings.js';
import { createServingRole, dropRole } from '../support/roles.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import { EventsFixture } from '../events/events-fixture.js';

let fixture: EventsFixture;
let receiver: Receiver;

beforeAll(async () => {
  [fixture, receiver] = await Promise.all([EventsFixture.create(), Receiver.start()]);
});
afterAll(async () => {
  await fixture.close();
  await receiver.close();
});

const booking = (words: string[], answer = '', url = fixture.database.url) =>
  runCommand('booking', words, { DATABASE_URL: url }, answer);

describe('The command that deletes a booking', () => {
  it('says how it is used', async () => {
    for (const words of [
      ['delete', 'a', 'b'],
      ['delete', 'a', '--force'],
    ])
      expect(await booking(words)).toMatchObject({ code: 1, stderr: 'Usage: booking delete ID [--yes]\n' });
  });

  it('frees its slot and its key, forgets the person, and has endpoints notified', async () => {
    fixture.setEndpoints({ name: 'billing', url: receiver.url });
    const service = await fixture.start();
    const [slot, key] = [aSlot(aResource()), aKey()];
    const book = () =>
      service.api.post('/v1/bookings').set('Idempotency-Key', key).send({ slot, guest: 'Ada' }).expect(201);
    const { body } = await book();
    const { booking_id: id } = body as { booking_id: string };
    const { booking_id: other } = await create(service.api);
    await until(() => receiver.accepted.length === 2);

    for (const answer of ['', 'yesterday\n']) {
      const { code, stdout, stderr } = await booking(['delete', id], answer);
      expect([code, stdout]).toEqual([0, 'Nothing is deleted.\n']);
      expect(stderr).toContain(`${JSON.stringify(body)}\nDelete this booking for good? [y/N] `);
    }
    await service.api.get(`/v1/bookings/${id}`).expect(200);
    const serving = await createServingRole(fixture.database);
    expect(await booking(['delete', id, '--yes'], '', serving.url)).toMatchObject({
      code: 1,
      stderr:
        'Failed: permission denied for table bookings. Run this with the DATABASE_URL of the owner of the tables.\n',
    });
    await dropRole(fixture.database, serving.name);

    expect(await booking(['delete', id], 'y\n')).toMatchObject({
      code: 0,
      stdout: `Booking ${id} is deleted: its slot and its idempotency key are free. \`bookings.booking.deleted\` is sent to billing.\n`,
    });
    expect(await booking(['delete', id, '--yes'])).toMatchObject({
      code: 1,
      stderr: `Failed: there is no booking ${id}.\n`,
    });
    await service.api.get(`/v1/bookings/${id}`).expect(404);
    await service.api.get(`/v1/bookings/${other}`).expect(200);
    const again = (await book()).body as { booking_id: string };
    expect(again.booking_id).not.toBe(id);
    await until(() => receiver.accepted.length === 4);
    const late = receiver.accepted.slice(2).map(({ event }) => event);
    const [created, deleted] = late.toSorted((one, two) => (one.id < two.id ? -1 : 1));
    expect(deleted).toMatchObject({
      id: `deleted-${id}`,
      type: 'bookings.booking.deleted',
      subject: id,
      data: { booking_id: id, slot, deleted_at: deleted!.time },
    });
    expect(Object.keys(deleted!.data)).toEqual(['booking_id', 'slot', 'deleted_at']);
    expect(created).toMatchObject({ id: `created-${again.booking_id}` });
    const tables = await fixture.database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const rows = tables.map(({ name }) => fixture.database.query(`SELECT held::text FROM ${name} AS held`));
    const texts = (await Promise.all(rows)).flatMap((held) => held.map((row) => JSON.stringify(row)));
    expect(texts.filter((text) => text.includes('Ada'))).toEqual([expect.stringContaining(again.booking_id)]);
    expect(texts.filter((text) => text.includes(key))).toHaveLength(1);
  });
});
