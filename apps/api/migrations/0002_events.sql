-- Events: what is still to be delivered to each endpoint. A booking never changes, so there are at most two events of it,
-- and a receiver needs no order: a deletion is final. Triggers write the deliveries in the transaction of the booking,
-- whoever creates or deletes it. Without an endpoint they write nothing.

-- Endpoints. Every create reads this table, and no delivery updates it.
CREATE TABLE webhook_endpoints (
  name text COLLATE "C" PRIMARY KEY,
  -- The beginning of the names of resources whose bookings the endpoint receives; '' for all bookings.
  prefix text COLLATE "C" NOT NULL,
  -- When a running service last found the endpoint in its file, accurate to a minute. A week later the row is deleted.
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- Bookings after this id are still to be recorded as if they were new, from `replay_from` on; null if there are none.
  replayed_to uuid,
  replay_from timestamptz NOT NULL,
  -- Attempts that failed in a row. While there are any, one event is sent at a time, from `due` on.
  failures integer NOT NULL DEFAULT 0,
  -- When `due` was set: a time in the future means that the clock of the database was set back.
  failed_at timestamptz NOT NULL DEFAULT now(),
  due timestamptz NOT NULL DEFAULT now(),
  last_error text,
  -- The URL that wants no more events.
  ended_url text
);

CREATE TABLE webhook_deliveries (
  -- Random, so that an acknowledgement from before a failover never deletes an event from after it.
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  endpoint text COLLATE "C" NOT NULL,
  booking_id uuid NOT NULL,
  -- When the event was recorded; after its first attempt, the time of that, or of an operator's retry.
  waiting_since timestamptz NOT NULL DEFAULT now(),
  -- No attempt begins before. An attempt in flight has moved this on, in case its process ends. Null: a dead letter.
  due timestamptz DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- Why the last attempt failed; null while one is in flight.
  last_error text,
  -- When the booking was deleted, and the slot that is free again, if it had one; null for a creation.
  deleted_at timestamptz,
  resource_id text COLLATE "C",
  slot_start bigint,
  slot_end bigint
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, due);

CREATE FUNCTION record_created_bookings() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO webhook_deliveries (endpoint, booking_id)
      SELECT name, booking_id FROM webhook_endpoints CROSS JOIN created
      WHERE prefix = '' OR starts_with(resource_id, prefix);
    RETURN NULL;
  END $$;

-- People who delete by hand may have another search path, and the right to delete bookings alone. A creation that is not
-- delivered yet never is: nobody is sent a booking that is gone.
CREATE FUNCTION record_deleted_bookings() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    EXECUTE format('WITH undelivered AS (
        DELETE FROM %1$I.webhook_deliveries AS delivery USING deleted
        WHERE delivery.booking_id = deleted.booking_id AND delivery.deleted_at IS NULL
      )
      INSERT INTO %1$I.webhook_deliveries (endpoint, booking_id, deleted_at, resource_id, slot_start, slot_end)
      SELECT name, booking_id, clock_timestamp(), resource_id, slot_start, slot_end
      FROM %1$I.webhook_endpoints CROSS JOIN deleted
      WHERE prefix = '''' OR starts_with(resource_id, prefix)', TG_TABLE_SCHEMA);
    RETURN NULL;
  END $$;

CREATE TRIGGER record_created_bookings AFTER INSERT ON bookings
  REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION record_created_bookings();
CREATE TRIGGER record_deleted_bookings AFTER DELETE ON bookings
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_deleted_bookings();
