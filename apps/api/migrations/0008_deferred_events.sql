-- oldest: 0005
-- Events that wait beside the progress of their endpoint, which has passed them: rejected ones that are tried again, those
-- behind them or behind a slow one, and parked ones that are retried. They are due.

ALTER TABLE webhook_parked
  -- Events of one lane are sent one after the other: that of their resource, or of their booking without one. Null where
  -- version 0007 or before parked the event.
  ADD COLUMN lane text COLLATE "C",
  -- It is not sent before.
  ADD COLUMN due timestamptz NOT NULL DEFAULT '-infinity',
  -- How often it was rejected since it is due.
  ADD COLUMN rejections integer NOT NULL DEFAULT 0;

CREATE INDEX webhook_parked_due ON webhook_parked (endpoint, due, sequence) WHERE is_due;
CREATE INDEX webhook_parked_lanes ON webhook_parked (endpoint, lane, sequence) WHERE is_due;
