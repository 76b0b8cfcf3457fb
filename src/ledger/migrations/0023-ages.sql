-- A clock that was wrong must not make a payment too old to be looked for again.
ALTER TABLE file ADD COLUMN aged_from timestamptz;
COMMENT ON COLUMN file.aged_from IS 'When it came, by the latest of the clocks that were asked; claimed_at where no clock was.';
ALTER TABLE fingerprint_volume ADD COLUMN last_from timestamptz;
COMMENT ON COLUMN fingerprint_volume.last_from IS 'aged_from of the file that was decided last.';
