import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { untilReady } from '../deployment/replica.js';
import { EventsDeployment } from '../deployment/events-deployment.js';

const CLIENTS = 24;

/** Milliseconds without a delivery after which the other events are lost. */
const SILENCE = 2_000;

type Sabotage = (events: EventsDeployment, crashes: number) => Promise<void>;

/** Each loses events on purpose; the checks have to find it. */
const SABOTAGES: Record<string, Sabotage> = {
  'delivered from memory after the commit': deliveredFromMemory,
  'a cursor over the identity column': cursorOverIdentity,
  'the outbox in another transaction': outboxLater,
  'deletions that are not noted': deletionsLost,
};

/** A sabotage that no check catches is a violation. */
export async function eventSabotages(bench: Bench, crashes: number): Promise<Figures[]> {
  const figures: Figures[] = [];
  for (const [name, sabotage] of Object.entries(SABOTAGES)) {
    const events = await EventsDeployment.start(bench, 2);
    try {
      await sabotage(events, crashes);
      await events.untilDelivered(SILENCE);
      const caught = (await events.check()).filter((violation) => violation.startsWith('E1'));
      const violations = caught.length > 0 ? [] : [`The checks do not catch the sabotage "${name}".`];
      figures.push({ scenario: `sabotage: ${name}`, size: `caught ${caught.length} times`, violations });
      bench.say(`sabotage "${name}": ${caught[0] ?? 'not caught'}`);
    } finally {
      await events.stop();
    }
  }
  return figures;
}

/** Events wait in memory, here in an unlogged table, and a crash loses them. */
async function deliveredFromMemory(events: EventsDeployment, crashes: number): Promise<void> {
  const { deployment } = events;
  await deployment.query(`
    CREATE UNLOGGED TABLE memory (booking_id uuid);
    GRANT ALL ON memory TO PUBLIC;
    CREATE OR REPLACE FUNCTION note_created_bookings() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO memory SELECT booking_id FROM created; RETURN NULL; END $$`);
  const over = new AbortController();
  const moving = (async () => {
    const move = `WITH taken AS (DELETE FROM memory RETURNING booking_id)
      INSERT INTO booking_outbox (booking_id) SELECT booking_id FROM taken`;
    for (; !over.signal.aborted; await sleep(20)) await deployment.query(move).catch(() => {});
  })();
  await whileBooking(events, () => crashDatabase(events, crashes));
  await sleep(100);
  over.abort();
  await moving;
}

/** What commits after a later position was read is never read. */
async function cursorOverIdentity(events: EventsDeployment): Promise<void> {
  // Some commits are slow, like those that wait for a standby.
  await events.deployment.query(`
    CREATE OR REPLACE FUNCTION note_created_bookings() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO booking_outbox (booking_id) SELECT booking_id FROM created;
        IF random() < 0.1 THEN PERFORM pg_sleep(0.05); END IF;
        RETURN NULL;
      END $$;
    CREATE TABLE remembered (position bigint);
    INSERT INTO remembered VALUES (0);
    GRANT ALL ON remembered TO PUBLIC;
    CREATE OR REPLACE FUNCTION assign_sequences(most integer, with_deletions boolean) RETURNS integer LANGUAGE plpgsql AS $$
      DECLARE state event_sequence%ROWTYPE; numbered integer;
      BEGIN
        SELECT * INTO state FROM event_sequence FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN RETURN NULL; END IF;
        WITH fresh AS MATERIALIZED (
          SELECT position, booking_id FROM booking_outbox WHERE position > (SELECT position FROM remembered)
        ), moved AS (
          UPDATE remembered SET position = (SELECT max(position) FROM fresh) WHERE EXISTS (SELECT FROM fresh)
        )
        INSERT INTO booking_events SELECT state.last + row_number() OVER (ORDER BY position), booking_id FROM fresh;
        GET DIAGNOSTICS numbered = ROW_COUNT;
        UPDATE event_sequence SET last = last + numbered;
        RETURN numbered;
      END $$`);
  await whileBooking(events, () => sleep(3_000));
}

/** If the database stops between the two transactions, the booking has no event. */
async function outboxLater(events: EventsDeployment, crashes: number): Promise<void> {
  const { deployment } = events;
  // Otherwise a start would enable the trigger again, and add what was missed.
  await deployment.query(`
    ALTER TABLE bookings DISABLE TRIGGER note_created_bookings;
    CREATE OR REPLACE FUNCTION events_are_on() RETURNS boolean LANGUAGE sql AS 'SELECT true'`);
  const note = async (id: string): Promise<void> => {
    await deployment.query('INSERT INTO booking_outbox (booking_id) VALUES ($1)', [id]).catch(() => {});
  };
  await whileBooking(events, () => crashDatabase(events, crashes), note);
}

/** The number of the booking is sent as a deletion, and that of the deletion is never given. */
async function deletionsLost(events: EventsDeployment): Promise<void> {
  await events.deployment.query('ALTER TABLE bookings DISABLE TRIGGER note_deleted_bookings');
  await whileBooking(
    events,
    () => sleep(1_000),
    (id) => events.delete(id),
  );
}

async function crashDatabase({ deployment }: EventsDeployment, crashes: number): Promise<void> {
  const { postgres } = deployment.bench;
  for (let number = 0; number < crashes; number++) {
    await sleep(500);
    await postgres.stop('SIGQUIT');
    await postgres.startAgain();
    await untilReady(deployment.replicas);
  }
}

async function whileBooking(
  events: EventsDeployment,
  work: () => Promise<unknown>,
  created?: (id: string) => Promise<void>,
): Promise<void> {
  let isOver = false;
  const booking = events.book(CLIENTS, () => isOver, created);
  await work();
  isOver = true;
  await booking;
}
