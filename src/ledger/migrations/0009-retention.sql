-- The end of what is kept of a file: its data key, its sealed parts, and what could be used to guess numbers.

ALTER TABLE file
  ADD COLUMN shredded_at timestamptz,
  ADD COLUMN fingerprints_dropped_at timestamptz,
  ADD CHECK (shredded_at IS NULL OR wrapped_key IS NULL),
  ADD CHECK (fingerprints_dropped_at IS NULL OR shredded_at IS NOT NULL);
COMMENT ON COLUMN file.shredded_at IS 'When its data key was destroyed: what is sealed of it can be opened by nobody any more.';
COMMENT ON COLUMN file.fingerprints_dropped_at IS 'When the last fingerprint of its rows was gone; they go in slices after the key.';

-- Files with security codes lost their keys at intake. The fingerprints of their rows go with the next run.
UPDATE file f SET shredded_at = a.at, row_set = NULL
  FROM audit a WHERE a.file_id = f.file_id AND a.move = 'shred' AND f.wrapped_key IS NULL;

CREATE INDEX file_to_shred ON file (state_at) WHERE shredded_at IS NULL;
CREATE INDEX file_half_shredded ON file (file_no) WHERE shredded_at IS NOT NULL AND fingerprints_dropped_at IS NULL;

-- Rows stay written once, with one exception: the fingerprint of a row of a shredded file may be dropped, never changed
-- and never for a file whose key is still there. Who holds the key of the fingerprints could otherwise try all numbers
-- that the masked ones leave open until one fits.
DROP TRIGGER rows_written_once ON payment_row;
CREATE TRIGGER rows_written_once
  BEFORE UPDATE OF file_no, line, batch_no, invoice, customer_code, amount_cents, last_four OR DELETE OR TRUNCATE
  ON payment_row FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER fingerprints_only_dropped BEFORE UPDATE OF fingerprint ON payment_row
  FOR EACH ROW WHEN (NEW.fingerprint IS NOT NULL AND NEW.fingerprint IS DISTINCT FROM OLD.fingerprint)
  EXECUTE FUNCTION refuse_change();

CREATE FUNCTION refuse_early_drop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM (SELECT DISTINCT o.file_no FROM before_change o JOIN after_change n USING (file_no, line)
                   WHERE o.fingerprint IS DISTINCT FROM n.fingerprint) dropped
    JOIN file f USING (file_no) WHERE f.shredded_at IS NULL
  ) THEN
    RAISE EXCEPTION '% is written once', TG_TABLE_NAME USING ERRCODE = 'PD002';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER fingerprints_dropped_late AFTER UPDATE ON payment_row
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_early_drop();

-- A destroyed key stays destroyed.
CREATE FUNCTION refuse_new_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the key of file % was destroyed', NEW.file_id USING ERRCODE = 'PD002';
END $$;
CREATE TRIGGER destroyed_for_good BEFORE UPDATE OF wrapped_key, shredded_at ON file
  FOR EACH ROW WHEN (OLD.shredded_at IS NOT NULL AND (NEW.wrapped_key IS NOT NULL OR NEW.shredded_at IS NULL))
  EXECUTE FUNCTION refuse_new_key();
