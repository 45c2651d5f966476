import { until } from 'testing';
import { useEvents } from '../events/events-fixture.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { createServingRole, dropRole } from '../support/roles.js';
import { runCommand } from '../support/run-command.js';

const fixture = useEvents('all');

const booking = (words: string[], answer = '', url = fixture.database.url) =>
  runCommand('booking', words, { DATABASE_URL: url }, answer);

it('Deleting a booking frees its slot and key, erases its data, and notifies endpoints', async () => {
  fixture.setEndpoints({ name: 'billing', url: fixture.receiver.url });
  const service = await fixture.start();
  const slot = aSlot(aResource());
  const key = aKey();
  const book = async (): Promise<{ booking_id: string }> => {
    const create = service.api.post('/v1/bookings').set('Idempotency-Key', key);
    return (await create.send({ slot, guest: 'Ada' }).expect(201)).body as { booking_id: string };
  };
  const body = await book();
  const { booking_id: id } = body;
  await until(() => fixture.receiver.accepted.length === 1);

  for (const answer of ['', 'yesterday\n']) {
    const { code, stdout, stderr } = await booking(['delete', id], answer);
    expect([code, stdout]).toEqual([0, 'Nothing deleted.\n']);
    expect(stderr).toContain(`${JSON.stringify(body)}\nDelete this booking for good? [y/N] `);
  }
  const serving = await createServingRole(fixture.database);
  const stderr =
    'Failed: permission denied for table bookings. Run this with the DATABASE_URL of the owner of the tables.\n';
  expect(await booking(['delete', id, '--yes'], '', serving.url)).toMatchObject({ code: 1, stderr });
  await dropRole(fixture.database, serving.name);
  await service.api.get(`/v1/bookings/${id}`).expect(200);

  expect(await booking(['delete', id], 'y\n')).toMatchObject({
    code: 0,
    stdout: `Booking ${id} is deleted: its slot and its idempotency key are free.\n`,
  });
  const none = { code: 1, stderr: `Failed: there is no booking ${id}.\n` };
  expect(await booking(['delete', id, '--yes'])).toMatchObject(none);
  await service.api.get(`/v1/bookings/${id}`).expect(404);
  const again = await book();
  expect(again.booking_id).not.toBe(id);
  await until(() => fixture.receiver.accepted.length === 3);
  const deleted = fixture.receiver.accepted
    .map(({ event }) => event)
    .find(({ type }) => type === 'bookings.booking.deleted')!;
  expect(deleted).toMatchObject({ id: `deleted-${id}`, subject: id });
  expect(deleted.data).toEqual({ booking_id: id, slot, deleted_at: deleted.time });

  const tables = await fixture.database.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const rows = tables.map(({ name }) => fixture.database.query(`SELECT held::text FROM ${name} AS held`));
  const texts = (await Promise.all(rows)).flatMap((held) => held.map((row) => JSON.stringify(row)));
  expect(texts.filter((text) => text.includes('Ada'))).toEqual([expect.stringContaining(again.booking_id)]);
});

it('Deleting a booking shows escapes for what a terminal obeys or hides', async () => {
  const service = await fixture.start();
  const create = service.api.post('/v1/bookings').send({ guest: 'Ada\x7F\x9B\u202E\u{E0041}' });
  const { booking_id: id } = (await create.expect(201)).body as { booking_id: string };
  expect((await booking(['delete', id])).stderr).toContain('"guest":"Ada\\u007f\\u009b\\u202e\\udb40\\udc41"');
});
