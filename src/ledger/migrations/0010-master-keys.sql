-- Master keys by their ids; the keys themselves are never here. What is wrapped carries the id of its key in the bytes 5
-- to 8 (src/crypto/wrap-key.ts).

CREATE TABLE master_key (
  key_id          text PRIMARY KEY CHECK (key_id ~ '^[0-9a-f]{8}$'),
  is_current      boolean NOT NULL DEFAULT false,
  since           timestamptz NOT NULL,
  retired_at      timestamptz,
  CHECK (NOT is_current OR retired_at IS NULL)
);
COMMENT ON TABLE master_key IS 'The current master key, from the first change of keys on, and those that were retired.';
CREATE UNIQUE INDEX one_current_master_key ON master_key (is_current) WHERE is_current;

CREATE FUNCTION wrapped_by(p_wrapped bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(substring(p_wrapped FROM 5 FOR 4), 'hex')
$$;

-- Held by the database itself: a process that has not heard of the change, on whatever host, cannot bring a key back of
-- which its last copy may be destroyed.
CREATE FUNCTION refuse_retired_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  id text;
BEGIN
  IF TG_TABLE_NAME = 'file' THEN id := wrapped_by(NEW.wrapped_key); ELSE id := wrapped_by(NEW.wrapped); END IF;
  IF EXISTS (SELECT 1 FROM master_key WHERE key_id = id AND retired_at IS NOT NULL) THEN
    RAISE EXCEPTION 'master key % is retired', id USING ERRCODE = 'PD004';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER no_retired_key BEFORE INSERT OR UPDATE OF wrapped_key ON file
  FOR EACH ROW WHEN (NEW.wrapped_key IS NOT NULL) EXECUTE FUNCTION refuse_retired_key();
CREATE TRIGGER no_retired_key BEFORE INSERT OR UPDATE ON vault_key
  FOR EACH ROW EXECUTE FUNCTION refuse_retired_key();
