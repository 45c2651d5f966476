-- Events that are still to be delivered to each endpoint. A booking never changes, so it has at most two events, which a
-- receiver accepts in any order: a deletion is final. Triggers record deliveries in the transaction of the booking,
-- whoever creates or deletes it.
--
-- A delivery is deleted when its receiver acknowledges it. Until then it is
--
--   due           last_error null, due has come  -> in flight: a process claims it for an attempt
--   in flight     last_error null, due ahead     -> deleted: acknowledged
--                                                -> deferred: the attempt failed
--                                                -> dead letter: it failed three days after the first attempt
--                                                -> due: due comes before a result, as after a crash
--   deferred      last_error set, due ahead      -> in flight: due comes, and a process claims it
--   dead letter   last_error set, due null       -> due: an operator retries it
--
-- All but dead letters are pending.
--
-- An endpoint is
--
--   up            failures = 0                   -> failing: an attempt failed
--                                                -> ended: it responded 410
--   failing       failures > 0                   -> up: an attempt succeeded
--                                                -> ended: it responded 410
--   ended         ended_url is its URL           -> failing: its URL was changed, or an operator retried it
--
-- While it fails, one process tries one event when `due` comes. Once it has ended, nothing is sent.

-- Every create reads this table, so a success at an endpoint that is up does not write it.
CREATE TABLE webhook_endpoints (
  name text COLLATE "C" PRIMARY KEY,
  -- Prefix of the resources whose bookings the endpoint receives; '' for all bookings.
  prefix text COLLATE "C" NOT NULL,
  -- When a running service last found the endpoint in its file, accurate to a minute. A week later the row is deleted.
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- Attempts that failed in a row.
  failures integer NOT NULL DEFAULT 0,
  due timestamptz NOT NULL DEFAULT now(),
  -- When `due` was set. A time in the future means that the clock of the database was set back.
  due_set_at timestamptz NOT NULL DEFAULT now(),
  last_error text,
  -- The URL that responded 410.
  ended_url text
);

CREATE TABLE webhook_deliveries (
  -- Random, so that an acknowledgement from before a failover never deletes an event from after it.
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  endpoint text COLLATE "C" NOT NULL,
  booking_id uuid NOT NULL,
  -- 'created' or 'deleted': with the booking's id, the id of the event.
  type text NOT NULL,
  -- Time of the first attempt or of an operator's retry; until then, of recording.
  waiting_since timestamptz NOT NULL DEFAULT now(),
  due timestamptz DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  -- For a deletion: its time, and the slot that is free again, if there was one.
  deleted_at timestamptz,
  resource_id text COLLATE "C",
  slot_start bigint,
  slot_end bigint
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, due);

-- The few that failed, as an operator lists them.
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint, waiting_since) WHERE last_error IS NOT NULL;

-- For deletions of bookings.
CREATE INDEX webhook_deliveries_of_booking ON webhook_deliveries (booking_id);

-- Bookings may be inserted with another search path, as `pg_restore` does.
CREATE FUNCTION record_created_bookings() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO webhook_deliveries (endpoint, booking_id, type)
      SELECT name, booking_id, 'created' FROM webhook_endpoints CROSS JOIN created
      WHERE prefix = '' OR starts_with(resource_id, prefix);
    RETURN NULL;
  END $$;

-- An operator may have another search path, and no rights on the tables of events. Undelivered creations are dropped, so
-- that no receiver learns of a booking that is gone.
CREATE FUNCTION record_deleted_bookings() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    EXECUTE format('WITH undelivered AS (
        DELETE FROM %1$I.webhook_deliveries AS delivery USING deleted
        WHERE delivery.booking_id = deleted.booking_id AND delivery.type = ''created''
      )
      INSERT INTO %1$I.webhook_deliveries (endpoint, booking_id, type, deleted_at, resource_id, slot_start, slot_end)
      SELECT name, booking_id, ''deleted'', clock_timestamp(), resource_id, slot_start, slot_end
      FROM %1$I.webhook_endpoints CROSS JOIN deleted
      WHERE prefix = '''' OR starts_with(resource_id, prefix)', TG_TABLE_SCHEMA);
    RETURN NULL;
  END $$;

CREATE TRIGGER record_created_bookings AFTER INSERT ON bookings
  REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION record_created_bookings();
CREATE TRIGGER record_deleted_bookings AFTER DELETE ON bookings
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_deleted_bookings();
