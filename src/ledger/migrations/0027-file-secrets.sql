-- What is destroyed at the end of a file's retention stands in a narrow table. PostgreSQL keeps deleted rows in its files, in
-- dead rows and in the gaps of pages, until a table is rewritten. This one can be rewritten in
-- moments, and no call to the service waits for it. In the table of the files, every move left one more copy of the key.
CREATE TABLE file_secret (
  file_id         text PRIMARY KEY REFERENCES file,
  wrapped_key     bytea NOT NULL,
  content_key     bytea,
  row_set         text
);
COMMENT ON TABLE file_secret IS 'What opens a file and what its numbers could be guessed by. Deleted at the end of its retention.';
COMMENT ON COLUMN file_secret.content_key IS 'Of an encrypted drop: the session key of the message, sealed with the data key of the file.';
COMMENT ON COLUMN file_secret.row_set IS 'Keyed mark of its valid rows in any order: the same for the same rows, however they are written.';
-- The statistics of the planner are copies of values. It needs none of these: they are found by a key, or by being equal.
ALTER TABLE file_secret
  ALTER COLUMN wrapped_key SET STATISTICS 0,
  ALTER COLUMN content_key SET STATISTICS 0,
  ALTER COLUMN row_set SET STATISTICS 0;

INSERT INTO file_secret (file_id, wrapped_key, content_key, row_set)
  SELECT file_id, wrapped_key, content_key, row_set FROM file WHERE wrapped_key IS NOT NULL;
CREATE INDEX file_secret_by_row_set ON file_secret (row_set) WHERE row_set IS NOT NULL;

DROP TRIGGER no_retired_key ON file;
DROP TRIGGER destroyed_for_good ON file;
ALTER TABLE file DROP COLUMN wrapped_key, DROP COLUMN content_key, DROP COLUMN row_set;
-- Writes the table anew, and with it what the dropped columns held.
CLUSTER file USING file_pkey;
ALTER TABLE file SET WITHOUT CLUSTER;

CREATE OR REPLACE FUNCTION refuse_retired_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  id text;
BEGIN
  IF TG_TABLE_NAME = 'file_secret' THEN id := wrapped_by(NEW.wrapped_key); ELSE id := wrapped_by(NEW.wrapped); END IF;
  IF EXISTS (SELECT 1 FROM master_key WHERE key_id = id AND retired_at IS NOT NULL) THEN
    RAISE EXCEPTION 'master key % is retired', id USING ERRCODE = 'PD004';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER no_retired_key BEFORE INSERT OR UPDATE OF wrapped_key ON file_secret
  FOR EACH ROW EXECUTE FUNCTION refuse_retired_key();

-- A destroyed key stays destroyed, and nothing is called destroyed while its key is there.
CREATE OR REPLACE FUNCTION refuse_new_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'file_secret' THEN
    IF EXISTS (SELECT 1 FROM file f WHERE f.file_id = NEW.file_id AND f.shredded_at IS NOT NULL) THEN
      RAISE EXCEPTION 'the key of file % was destroyed', NEW.file_id USING ERRCODE = 'PD002';
    END IF;
  ELSIF NEW.shredded_at IS NULL OR EXISTS (SELECT 1 FROM file_secret s WHERE s.file_id = NEW.file_id) THEN
    RAISE EXCEPTION 'the key of file % is destroyed by deleting it, for good', NEW.file_id USING ERRCODE = 'PD002';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER destroyed_for_good BEFORE INSERT OR UPDATE OF wrapped_key ON file_secret
  FOR EACH ROW EXECUTE FUNCTION refuse_new_key();
CREATE TRIGGER destroyed_for_good BEFORE UPDATE OF shredded_at ON file
  FOR EACH ROW WHEN (OLD.shredded_at IS DISTINCT FROM NEW.shredded_at) EXECUTE FUNCTION refuse_new_key();
