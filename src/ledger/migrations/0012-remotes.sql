-- Files fetched from SFTP servers. A row is there before the first byte is fetched and says how far it came, so that a
-- crash at any point neither forgets a file nor drops it twice.
CREATE TABLE pulled (
  pull_no     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  folder      text NOT NULL,
  name        text NOT NULL,
  identity    bytea NOT NULL,
  state       text NOT NULL CHECK (state IN ('fetching', 'fetched', 'dropped', 'done')),
  sha256      text,
  state_at    timestamptz NOT NULL,
  UNIQUE (folder, identity)
);
COMMENT ON COLUMN pulled.name IS 'Name given by the sender, long digit runs masked.';
COMMENT ON COLUMN pulled.identity IS 'Keyed fingerprint of name, size and time there: another version of a file is another file.';

-- What the server was told of is not looked for any more.
CREATE INDEX dropped_pull ON pulled (folder) WHERE state = 'dropped';

-- Since when outputs are uploaded to a place; what was written before stays here.
CREATE TABLE push_target (
  target      text PRIMARY KEY,
  since       timestamptz NOT NULL
);
CREATE TABLE pushed (
  target      text NOT NULL REFERENCES push_target,
  file_id     text NOT NULL REFERENCES file,
  kind        text NOT NULL,
  number      integer NOT NULL,
  pushed_at   timestamptz NOT NULL,
  PRIMARY KEY (target, file_id, kind, number)
);
CREATE INDEX output_by_time ON output (written_at);
