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

-- Each list is read from one index in its order, whatever its window. By creation, over everything: the primary key.
CREATE INDEX bookings_of_resource_by_creation ON bookings (resource_id, booking_id) WHERE resource_id IS NOT NULL;
CREATE INDEX bookings_of_resource_by_start ON bookings (resource_id, slot_start, booking_id) WHERE slot_start IS NOT NULL;
CREATE INDEX bookings_without_slot ON bookings (booking_id) WHERE slot_start IS NULL;

-- A GiST index gives an order as the nearest to an instant beyond all others (btree_gist), and opens only those of its
-- pages that can still hold one of the first. Over all resources: by start, then by creation; with a window, and by
-- creation in a window. The range comes first, so that a page of the index holds neighbours in time.
CREATE INDEX bookings_in_order ON bookings USING gist (
  int8range(slot_start, slot_end, '[)'),
  slot_start,
  (('x' || left(translate(booking_id::text, '-', ''), 12))::bit(48)::bigint)
) WHERE slot_start IS NOT NULL;

-- In a window of one resource, by creation. Another seed than that of the constraint, and another condition than
-- above: each of the indexes is for its own statements, and no planner takes one of them for another.
CREATE INDEX bookings_of_resource_in_order ON bookings USING gist (
  hashtextextended(resource_id, 1),
  slot_start,
  slot_end,
  (('x' || left(translate(booking_id::text, '-', ''), 12))::bit(48)::bigint)
) WHERE resource_id IS NOT NULL;
