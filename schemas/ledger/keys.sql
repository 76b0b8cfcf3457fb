-- Keys. The data key of a file opens what is sealed of it. The master key wraps the data keys and is never stored here.

CREATE TABLE master_key (
  key_id      text COLLATE "C" PRIMARY KEY CHECK (key_id ~ '^[0-9a-f]{8}$'),
  is_current  boolean NOT NULL DEFAULT false,
  since       timestamptz NOT NULL,
  retired_at  timestamptz,
  CHECK (NOT is_current OR retired_at IS NULL)
);
COMMENT ON TABLE master_key IS
  'Ids of master keys: the current one, from the first change of keys on, and the retired ones. The keys themselves are never here.';
COMMENT ON COLUMN master_key.key_id IS
  'Id of the key: 8 hex digits, which are bytes 5 to 8 of everything that it wrapped (src/crypto/data-key.ts).';
COMMENT ON COLUMN master_key.is_current IS 'True for the key that wraps new data keys.';
COMMENT ON COLUMN master_key.since IS
  'When it became the current key; of a key that never was, when it was retired. By the clock of the host.';
COMMENT ON COLUMN master_key.retired_at IS 'When a user retired it, by the clock of the host; null before.';

CREATE UNIQUE INDEX one_current_master_key ON master_key (is_current) WHERE is_current;

CREATE TABLE vault_key (
  name     text COLLATE "C" PRIMARY KEY,
  wrapped  bytea NOT NULL
);
COMMENT ON TABLE vault_key IS 'Keys that outlive a file, wrapped by the master key.';
COMMENT ON COLUMN vault_key.name IS 'What it is for, such as fingerprint.';
COMMENT ON COLUMN vault_key.wrapped IS 'The key, wrapped by the master key.';

-- Id of the master key that wrapped something (src/crypto/data-key.ts).
CREATE FUNCTION wrapped_by(p_wrapped bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(substring(p_wrapped FROM 5 FOR 4), 'hex')
$$;

-- A retired key cannot come back: a process on any host that has not heard of the change would wrap with a key whose
-- last copy may be destroyed.
CREATE FUNCTION refuse_retired_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  id text;
BEGIN
  IF TG_TABLE_NAME = 'file_secret' THEN id := wrapped_by(NEW.wrapped_key); ELSE id := wrapped_by(NEW.wrapped); END IF;
  IF EXISTS (SELECT 1 FROM master_key WHERE key_id = id AND retired_at IS NOT NULL) THEN
    RAISE EXCEPTION 'master key % is retired', id USING ERRCODE = 'PD004';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER no_retired_key BEFORE INSERT OR UPDATE ON vault_key
  FOR EACH ROW EXECUTE FUNCTION refuse_retired_key();
