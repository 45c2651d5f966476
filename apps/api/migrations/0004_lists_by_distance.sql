-- runs: outside a transaction
-- Each list is read from one index in its order, whatever its window. A GiST index gives an order as the nearest
-- to an instant beyond all others (btree_gist), and opens only those of its pages that can still hold one of
-- the first. Built beside reads and writes; a build that was broken off leaves an index that is not valid.

-- Over all resources: by start, then by creation; with a window, and by creation in a window. The range comes first,
-- so that a page of the index holds neighbours in time.
DROP INDEX CONCURRENTLY IF EXISTS bookings_in_order;
CREATE INDEX CONCURRENTLY bookings_in_order ON bookings USING gist (
  int8range(slot_start, slot_end, '[)'),
  slot_start,
  (('x' || left(translate(booking_id::text, '-', ''), 12))::bit(48)::bigint)
) WHERE slot_start IS NOT NULL;

-- In a window of one resource, by creation. Another seed than that of the constraint, and another condition than
-- above: each of the indexes is for its own statements, and no planner takes one of them for another.
DROP INDEX CONCURRENTLY IF EXISTS bookings_of_resource_in_order;
CREATE INDEX CONCURRENTLY bookings_of_resource_in_order ON bookings USING gist (
  hashtextextended(resource_id, 1),
  slot_start,
  slot_end,
  (('x' || left(translate(booking_id::text, '-', ''), 12))::bit(48)::bigint)
) WHERE resource_id IS NOT NULL;

-- What they replace.
DROP INDEX CONCURRENTLY IF EXISTS bookings_by_window;
DROP INDEX CONCURRENTLY IF EXISTS bookings_by_start;
