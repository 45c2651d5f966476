-- oldest: 0005
-- What operators read of an endpoint. The table is small, and no create waits for it.
ALTER TABLE webhook_endpoints
  -- When a running service last had it in its file, within a minute.
  ADD COLUMN seen_at timestamptz,
  -- The status or the fault of the last attempt, and when that was.
  ADD COLUMN last_result text,
  ADD COLUMN last_attempt_at timestamptz;
