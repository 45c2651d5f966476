-- Requests of each caller in the window that runs, for the limit that replicas share. The columns and
-- their order are those of rate-limiter-flexible. Not logged: a crash empties it, which lets a caller
-- ask a little more, and no request waits for the disk.
CREATE UNLOGGED TABLE rate_limits (
  -- SHA-256 of who calls.
  key text COLLATE "C" PRIMARY KEY,
  points integer NOT NULL,
  -- Milliseconds since 1970 at which the window ends.
  expire bigint
);
