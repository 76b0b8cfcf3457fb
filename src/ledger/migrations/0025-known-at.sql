-- The clock of a host may be wrong when a file comes to its end, and by that time alone its retention would be over. So the clock
-- of the database is noted as well.
ALTER TABLE file ADD COLUMN known_at timestamptz;
COMMENT ON COLUMN file.known_at IS 'When it came into its state, by the clock of the database; empty for a state of before. state_at is of the host.';
