-- Equality of text inside the exclusion constraint. A trusted extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- A booking is written once, whole, and never again. Instants are milliseconds since 1970, the
-- numbers that the service compares: no rounding and no time zone stand between the two.
CREATE TABLE bookings (
  -- A UUIDv7 that begins with the booking's created_at: the order of ids is the order of creation.
  booking_id uuid PRIMARY KEY,
  resource_id text COLLATE "C",
  slot_start bigint,
  slot_end bigint,
  -- The length of the slot, rounded up to ten minutes, an hour, four hours, a day, a week, 31 days, 366 days, ten years, or
  -- more than there is: a slot that reaches into a window starts less than this before it.
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
  -- SHA-256 of the payload as canonical JSON; what tells a retry from another payload.
  fingerprint text COLLATE "C",
  -- The one rendering of the booking. text, not jsonb: it must come back byte for byte.
  json text NOT NULL,

  -- A slot is whole or not there. An empty or endless range would escape the constraint below.
  CONSTRAINT slot_is_whole CHECK (num_nulls(resource_id, slot_start, slot_end) IN (0, 3)),
  CONSTRAINT slot_is_a_window CHECK (slot_start < slot_end),
  CONSTRAINT key_has_fingerprint CHECK (num_nulls(idempotency_key, fingerprint) IN (0, 2)),

  -- The promise: two bookings never hold overlapping slots of one resource. The index is walked by a hash of the
  -- resource, since comparing texts on the way takes a fifth of an INSERT; the text at the end tells two resources
  -- with one hash apart. PostgreSQL keeps the hash from version to version, because hash partitions hang on it.
  CONSTRAINT slots_never_overlap EXCLUDE USING gist (
    hashtextextended(resource_id, 0) WITH =,
    int8range(slot_start, slot_end, '[)') WITH &&,
    resource_id WITH =
  ) WHERE (resource_id IS NOT NULL),

  -- One booking for one key, kept in the same row and so in the same transaction.
  CONSTRAINT one_booking_for_a_key UNIQUE (idempotency_key)
);

-- Each list is read from one index in its order. By creation, over everything: the primary key.
CREATE INDEX bookings_of_resource_by_creation ON bookings (resource_id, booking_id) WHERE resource_id IS NOT NULL;

-- In a window of one resource, whose slots do not overlap: the order of their ends is that of their starts.
CREATE INDEX bookings_of_resource_by_end ON bookings (resource_id, slot_end) WHERE resource_id IS NOT NULL;

-- In a window of all resources. The end comes last, so that the table is not read for slots that end before the window.
CREATE INDEX bookings_by_start ON bookings (slot_reach, slot_start, booking_id, slot_end) WHERE slot_end IS NOT NULL;
