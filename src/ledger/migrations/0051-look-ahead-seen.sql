-- A process that could not record the end of its questions would have kept all others from asking.
ALTER TABLE look_ahead ADD COLUMN seen_at timestamptz;
COMMENT ON COLUMN look_ahead.seen_at IS 'When the process that is asking was last seen to, by the clock of the database; ten minutes later, another may ask.';
