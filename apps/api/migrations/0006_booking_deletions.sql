-- oldest: 0005
-- Deletions of bookings as events, with numbers among those of the bookings, whoever deletes.

-- Locks that nothing is created behind: all at once, or none.
DO $$
  BEGIN
    FOR attempt IN 1..200 LOOP
      BEGIN
        SET LOCAL lock_timeout = '200ms';
        LOCK TABLE event_sequence IN ACCESS EXCLUSIVE MODE;
        LOCK TABLE webhook_endpoints, bookings IN SHARE ROW EXCLUSIVE MODE;
        RETURN;
      EXCEPTION WHEN lock_not_available THEN
        PERFORM pg_sleep(0.2);
      END;
    END LOOP;
    RAISE 'A transaction holds event_sequence, webhook_endpoints or bookings for a minute.' USING ERRCODE = 'lock_not_available';
  END $$;

-- Written in the transaction of the deletion. It has what the event needs and nothing else of the booking.
CREATE TABLE booking_deletions (
  booking_id uuid PRIMARY KEY,
  -- The slot that is free again; null for a booking without one.
  resource_id text COLLATE "C",
  slot_start bigint,
  slot_end bigint,
  deleted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Among those of `booking_outbox`.
  position bigint NOT NULL,
  -- Among those of `booking_events`; null until it is given.
  sequence bigint UNIQUE
);
CREATE INDEX booking_deletions_unnumbered ON booking_deletions (position) WHERE sequence IS NULL;

-- Those who delete by hand may have another search path. A booking that was inserted again has its number.
CREATE FUNCTION note_deleted_bookings() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE format('INSERT INTO %I.booking_deletions (booking_id, resource_id, slot_start, slot_end, position)
      SELECT booking_id, resource_id, slot_start, slot_end, nextval(%L) FROM deleted ON CONFLICT DO NOTHING',
      TG_TABLE_SCHEMA, format('%I.booking_outbox_position_seq', TG_TABLE_SCHEMA));
    RETURN NULL;
  END $$;

-- From the first time that events are on, also while they are off: a booking may have its number.
DO $$
  BEGIN
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'bookings'::regclass AND tgname = 'note_created_bookings') THEN
      CREATE TRIGGER note_deleted_bookings AFTER DELETE ON bookings
        REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_bookings();
    END IF;
  END $$;

CREATE OR REPLACE FUNCTION switch_events_on() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
  BEGIN
    IF events_are_on() THEN RETURN false; END IF;
    PERFORM FROM event_sequence FOR UPDATE;
    LOCK TABLE bookings IN SHARE ROW EXCLUSIVE MODE;
    IF events_are_on() THEN RETURN false; END IF;
    CREATE OR REPLACE TRIGGER note_created_bookings AFTER INSERT ON bookings
      REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION note_created_bookings();
    CREATE OR REPLACE TRIGGER note_deleted_bookings AFTER DELETE ON bookings
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_bookings();
    ALTER TABLE bookings ENABLE TRIGGER note_created_bookings;
    UPDATE event_sequence SET old_after = '00000000-0000-0000-0000-000000000000',
      old_until = (SELECT booking_id FROM bookings ORDER BY booking_id DESC LIMIT 1);
    RETURN true;
  END $$;

-- Senders of version 0005 read past deletions. Their ids of leases are UUIDs of version 4, those of others of version 7.
CREATE FUNCTION skips_deletions(sender uuid) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT substr(sender::text, 15, 1) = '4'
$$;

-- Such a sender gets no lease, and saves no progress, where a deletion would be lost: another one sends on, or none does
-- until there is one. The row that is locked is that of whoever gives numbers.
CREATE FUNCTION hold_senders() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM event_sequence FOR SHARE;
    IF EXISTS (SELECT FROM booking_deletions
      WHERE sequence > OLD.delivered AND (NEW.leased_until > now() OR sequence <= NEW.delivered))
    THEN RETURN NULL; END IF;
    RETURN NEW;
  END $$;
CREATE TRIGGER hold_senders BEFORE UPDATE OF leased_until ON webhook_endpoints
  FOR EACH ROW WHEN (skips_deletions(NEW.leased_by)) EXECUTE FUNCTION hold_senders();

-- What was taken from `booking_outbox` is read again for as long as a snapshot keeps it. So it is read from `floor` on: up
-- to there all is taken, and no transaction is open that began before it was. Once in ten seconds it is read from its
-- beginning, in case positions began anew, as after a logical replication.
ALTER TABLE event_sequence ADD COLUMN floor bigint NOT NULL DEFAULT 0, ADD COLUMN next_floor bigint NOT NULL DEFAULT 0,
  ADD COLUMN taken_to bigint NOT NULL DEFAULT 0, ADD COLUMN swept_at timestamptz NOT NULL DEFAULT '-infinity',
  ADD COLUMN swept_by xid8 NOT NULL DEFAULT '0';

-- As `number_events` of 0005, and the same for deletions, unless a sender that would read past them has a lease.
CREATE FUNCTION assign_sequences(most integer, with_deletions boolean) RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    state event_sequence%ROWTYPE;
    reached uuid;
    bottom bigint;
    bound bigint;
    looked_at integer;
    numbered integer;
    highest bigint;
  BEGIN
    SELECT * INTO state FROM event_sequence FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF state.swept_at NOT BETWEEN now() - interval '10 s' AND now() THEN
      -- Whoever has a position up to `next_floor` began before the transaction that set it.
      IF pg_snapshot_xmin(pg_current_snapshot()) > state.swept_by THEN state.floor := state.next_floor; END IF;
      state.next_floor := state.taken_to;
      state.swept_at := now();
      state.swept_by := pg_current_xact_id();
      bottom := -1;
    ELSE
      bottom := state.floor;
    END IF;

    IF state.old_until IS NOT NULL THEN
      SELECT batch.booking_id, count(*) OVER () INTO reached, looked_at
        FROM (SELECT booking_id FROM bookings WHERE booking_id > state.old_after AND booking_id <= state.old_until
          ORDER BY booking_id LIMIT most) AS batch
        ORDER BY batch.booking_id DESC LIMIT 1;
      IF reached IS NOT NULL THEN
        -- One that is noted is newer than the trigger, whatever the clock that made its id.
        INSERT INTO booking_events (sequence, booking_id)
          SELECT state.last + row_number() OVER (ORDER BY old.booking_id), old.booking_id FROM bookings AS old
          WHERE old.booking_id > state.old_after AND old.booking_id <= reached
            AND old.booking_id NOT IN (SELECT noted.booking_id FROM booking_outbox AS noted
              WHERE noted.booking_id > state.old_after AND noted.booking_id <= reached)
            AND (SELECT known.sequence FROM booking_events AS known WHERE known.booking_id = old.booking_id) IS NULL;
        GET DIAGNOSTICS numbered = ROW_COUNT;
        UPDATE event_sequence SET last = state.last + numbered, old_after = reached;
        RETURN looked_at;
      END IF;
      UPDATE event_sequence SET old_until = NULL;
      UPDATE webhook_endpoints SET delivered = state.last WHERE delivered IS NULL;
    END IF;

    with_deletions := with_deletions AND NOT EXISTS (
      SELECT FROM webhook_endpoints WHERE leased_until > now() AND skips_deletions(leased_by)
    );
    SELECT position INTO bound FROM (
      (SELECT position FROM booking_outbox WHERE position > bottom ORDER BY position LIMIT most) UNION ALL
      (SELECT position FROM booking_deletions WHERE sequence IS NULL AND with_deletions ORDER BY position LIMIT most)
    ) AS waiting ORDER BY position LIMIT 1 OFFSET most - 1;
    WITH taken AS (
      DELETE FROM booking_outbox WHERE position > bottom AND position <= coalesce(bound, 9223372036854775807)
        RETURNING position, booking_id
    ), fresh AS (
      -- A booking that a restored backup brings again has its number.
      SELECT booking_id, min(position) AS position, false AS is_deletion FROM taken
        WHERE (SELECT known.sequence FROM booking_events AS known WHERE known.booking_id = taken.booking_id) IS NULL
        GROUP BY booking_id
      UNION ALL SELECT booking_id, position, true FROM booking_deletions
        WHERE with_deletions AND sequence IS NULL AND position <= coalesce(bound, 9223372036854775807)
    ), given AS MATERIALIZED (
      SELECT state.last + row_number() OVER (ORDER BY position) AS sequence, booking_id, is_deletion FROM fresh
    ), created AS (
      INSERT INTO booking_events (sequence, booking_id) SELECT sequence, booking_id FROM given WHERE NOT is_deletion
    ), deleted AS (
      UPDATE booking_deletions AS deletion SET sequence = given.sequence FROM given
        WHERE is_deletion AND deletion.booking_id = given.booking_id
    )
    SELECT (SELECT count(*) FROM taken) + count(*) FILTER (WHERE is_deletion), count(*), (SELECT max(position) FROM taken)
      INTO looked_at, numbered, highest FROM given;
    IF looked_at > 0 THEN
      UPDATE event_sequence SET last = state.last + numbered, floor = least(state.floor, bound),
        next_floor = state.next_floor, taken_to = coalesce(highest, taken_to), swept_at = state.swept_at,
        swept_by = state.swept_by;
    END IF;
    RETURN looked_at;
  END $$;

-- Leaves a million numbers out, or more, for a database that was restored: receivers know numbers that it does not. Those
-- from `first` on, if they were given since, are given anew, so that their events are sent again. Returns the last number.
CREATE FUNCTION renumber_events(first bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    before bigint;
    gap bigint;
  BEGIN
    SELECT last INTO before FROM event_sequence FOR UPDATE;
    gap := greatest(1000000, before - first + 1);
    IF first <= before THEN
      UPDATE booking_events SET sequence = sequence + gap WHERE sequence >= first;
      UPDATE booking_deletions SET sequence = sequence + gap WHERE sequence >= first;
      DELETE FROM webhook_parked WHERE sequence >= first;
    ELSE
      UPDATE webhook_endpoints SET delivered = before + gap WHERE delivered = before;
    END IF;
    UPDATE event_sequence SET last = before + gap;
    RETURN before + gap;
  END $$;

-- For version 0005: deletions wait for a service that sends them, while it gives numbers and sends.
CREATE OR REPLACE FUNCTION number_events(most integer) RETURNS integer LANGUAGE sql AS $$
  SELECT assign_sequences(most, false)
$$;
