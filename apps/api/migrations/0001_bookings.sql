-- Lets the exclusion constraint compare text. A trusted extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- A booking is written once and never changes. Instants are milliseconds since 1970, as in the service: no rounding, no
-- time zones.
CREATE TABLE bookings (
  -- A UUIDv7 that begins with the booking's created_at: the order of ids is the order of creation.
  booking_id uuid PRIMARY KEY,
  resource_id text COLLATE "C",
  slot_start bigint,
  slot_end bigint,
  -- An upper bound of the slot's length, in steps: a slot that overlaps a window starts less than this before the window.
  slot_reach bigint GENERATED ALWAYS AS (CASE
    WHEN slot_end - slot_start <= 600000 THEN 600000
    WHEN slot_end - slot_start <= 3600000 THEN 3600000
    WHEN slot_end - slot_start <= 14400000 THEN 14400000
    WHEN slot_end - slot_start <= 86400000 THEN 86400000
    WHEN slot_end - slot_start <= 604800000 THEN 604800000
    WHEN slot_end - slot_start <= 2678400000 THEN 2678400000
    WHEN slot_end - slot_start <= 31622400000 THEN 31622400000
    WHEN slot_end - slot_start <= 315619200000 THEN 315619200000
    WHEN slot_end IS NOT NULL THEN 1125899906842624
  END) STORED,
  idempotency_key text COLLATE "C",
  -- SHA-256 of the payload as canonical JSON: equal for a retry.
  fingerprint text COLLATE "C",
  -- The JSON that callers receive; jsonb would change its bytes.
  json text NOT NULL,

  -- The columns of a slot are set together. An empty or endless range would escape the exclusion constraint.
  CONSTRAINT slot_is_whole CHECK (num_nulls(resource_id, slot_start, slot_end) IN (0, 3)),
  CONSTRAINT slot_is_a_window CHECK (slot_start < slot_end),
  CONSTRAINT key_has_fingerprint CHECK (num_nulls(idempotency_key, fingerprint) IN (0, 2)),

  -- The promise: two bookings never hold overlapping slots of one resource. A hash of the resource comes first, since the
  -- comparison of texts would take a fifth of an INSERT; the text tells two resources with one hash apart. The hash is the
  -- same in every version of PostgreSQL, whose hash partitions depend on it.
  CONSTRAINT slots_never_overlap EXCLUDE USING gist (
    hashtextextended(resource_id, 0) WITH =,
    int8range(slot_start, slot_end, '[)') WITH &&,
    resource_id WITH =
  ) WHERE (resource_id IS NOT NULL),

  -- One booking per key. Both are one row, so they commit together.
  CONSTRAINT one_booking_for_a_key UNIQUE (idempotency_key)
);

-- Each list reads one index in order: all bookings by creation, the primary key.
CREATE INDEX bookings_of_resource_by_creation ON bookings (resource_id, booking_id) WHERE resource_id IS NOT NULL;

-- Windows of one resource: its slots do not overlap, so starts and ends sort alike.
CREATE INDEX bookings_of_resource_by_end ON bookings (resource_id, slot_end) WHERE resource_id IS NOT NULL;

-- Windows of all resources: `slot_end` spares reads of the table for slots that end before the window.
CREATE INDEX bookings_by_start ON bookings (slot_reach, slot_start, booking_id, slot_end) WHERE slot_end IS NOT NULL;
