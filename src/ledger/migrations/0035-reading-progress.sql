-- How far the reading of a large file has come, so that other processes can show it.
ALTER TABLE reading ADD COLUMN checked_rows bigint, ADD COLUMN expected_rows bigint;

COMMENT ON COLUMN reading.checked_rows IS 'Rows checked so far; null until a reading has taken a few seconds.';
COMMENT ON COLUMN reading.expected_rows IS 'Rows of the whole file, estimated from the bytes read so far.';
