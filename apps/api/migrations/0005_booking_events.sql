-- Events: bookings that have no number yet, the number of each other, and how far each endpoint was told of them.
-- Nothing here touches the table of bookings. `switch_events_on` makes its trigger, for a service that has endpoints;
-- without one a create costs what it did.

-- Written in the transaction of the booking, emptied when numbers are given. Numbers have to come after the commit: a
-- reader that remembers the last value of an identity column misses those that commit late.
CREATE TABLE booking_outbox (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  booking_id uuid NOT NULL
);

-- 1, 2, 3, ... without a gap. Of two bookings, one that was acknowledged before the other was begun has the lower number.
CREATE TABLE booking_events (
  sequence bigint PRIMARY KEY,
  booking_id uuid NOT NULL UNIQUE
);

-- The last number. Bookings from before the trigger get theirs first, in the order of their ids: those after `old_after`
-- and up to `old_until` are still to come, none where that is null. Its lock is held by whoever gives numbers.
CREATE TABLE event_sequence (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  last bigint NOT NULL DEFAULT 0,
  old_after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  old_until uuid
);
INSERT INTO event_sequence DEFAULT VALUES;

CREATE TABLE webhook_endpoints (
  name text COLLATE "C" PRIMARY KEY,
  -- It acknowledged this number and all before it. Null until the bookings from before its time have numbers.
  delivered bigint,
  -- The last number up to there that matched its filter; 0 without one.
  previous bigint NOT NULL DEFAULT 0,
  -- Acknowledged beyond `delivered`.
  ahead bigint[] NOT NULL DEFAULT '{}',
  -- Attempts that failed, one after the other, and since when; nothing is sent before `due`.
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  due timestamptz NOT NULL DEFAULT '-infinity',
  -- The URL that wants no more events.
  ended_url text,
  leased_by uuid,
  leased_until timestamptz NOT NULL DEFAULT '-infinity'
);

-- Events that an endpoint refused for good, or that an operator skipped.
CREATE TABLE webhook_parked (
  endpoint text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  previous bigint NOT NULL,
  reason text NOT NULL,
  parked_at timestamptz NOT NULL DEFAULT now(),
  -- Whether it is to be sent once more.
  is_due boolean NOT NULL DEFAULT false,
  PRIMARY KEY (endpoint, sequence)
);

CREATE FUNCTION note_created_bookings() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO booking_outbox (booking_id) SELECT booking_id FROM created;
    RETURN NULL;
  END $$;

CREATE FUNCTION events_are_on() RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (
    SELECT FROM pg_trigger
    WHERE tgrelid = 'bookings'::regclass AND tgname = 'note_created_bookings' AND tgenabled <> 'D'
  )
$$;

-- Has every booking from now on noted, and all that is there numbered. Creates wait for it no longer than it waits for
-- them: it fails after that time, and is to be called again.
CREATE FUNCTION switch_events_on() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
  BEGIN
    IF events_are_on() THEN RETURN false; END IF;
    PERFORM FROM event_sequence FOR UPDATE;
    LOCK TABLE bookings IN SHARE ROW EXCLUSIVE MODE;
    IF events_are_on() THEN RETURN false; END IF;
    CREATE OR REPLACE TRIGGER note_created_bookings AFTER INSERT ON bookings
      REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION note_created_bookings();
    ALTER TABLE bookings ENABLE TRIGGER note_created_bookings;
    UPDATE event_sequence SET old_after = '00000000-0000-0000-0000-000000000000',
      old_until = (SELECT booking_id FROM bookings ORDER BY booking_id DESC LIMIT 1);
    RETURN true;
  END $$;

CREATE FUNCTION switch_events_off() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
  BEGIN
    IF NOT events_are_on() THEN RETURN false; END IF;
    ALTER TABLE bookings DISABLE TRIGGER note_created_bookings;
    RETURN true;
  END $$;

-- Gives numbers to about so many bookings. Each statement of it sees what was committed before that statement, so that
-- whoever sees a booking sees all that were acknowledged before it was begun; their positions are lower.
--
-- What was told already is looked up one by one: a join that was planned while the table was empty reads all of it.
--
-- Returns how many bookings it has looked at, 0 when none is left; null while another does the same.
CREATE FUNCTION number_events(most integer) RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    state event_sequence%ROWTYPE;
    reached uuid;
    bound bigint;
    looked_at integer;
    numbered integer;
  BEGIN
    SELECT * INTO state FROM event_sequence FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN NULL; END IF;

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
            AND (SELECT told.sequence FROM booking_events AS told WHERE told.booking_id = old.booking_id) IS NULL;
        GET DIAGNOSTICS numbered = ROW_COUNT;
        UPDATE event_sequence SET last = state.last + numbered, old_after = reached;
        RETURN looked_at;
      END IF;
      UPDATE event_sequence SET old_until = NULL;
      UPDATE webhook_endpoints SET delivered = state.last WHERE delivered IS NULL;
    END IF;

    SELECT position INTO bound FROM booking_outbox ORDER BY position LIMIT 1 OFFSET most - 1;
    WITH taken AS (
      DELETE FROM booking_outbox WHERE position <= coalesce(bound, 9223372036854775807) RETURNING position, booking_id
    ), untold AS (
      -- A booking that a restored backup brings again has its number.
      SELECT booking_id, min(position) AS position FROM taken
      WHERE (SELECT told.sequence FROM booking_events AS told WHERE told.booking_id = taken.booking_id) IS NULL
      GROUP BY booking_id
    ), added AS (
      INSERT INTO booking_events (sequence, booking_id)
      SELECT state.last + row_number() OVER (ORDER BY position), booking_id FROM untold
      RETURNING sequence
    )
    SELECT (SELECT count(*) FROM taken), (SELECT count(*) FROM added) INTO looked_at, numbered;
    IF numbered > 0 THEN UPDATE event_sequence SET last = state.last + numbered; END IF;
    RETURN looked_at;
  END $$;
