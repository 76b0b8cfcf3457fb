-- Files that come and go by SFTP.

CREATE TABLE pulled (
  pull_no   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  folder    text COLLATE "C" NOT NULL,
  name      text NOT NULL,
  identity  bytea NOT NULL,
  state     text NOT NULL CHECK (state IN ('fetching', 'fetched', 'dropped', 'done')),
  sha256    text,
  state_at  timestamptz NOT NULL,
  UNIQUE (folder, identity)
);
COMMENT ON TABLE pulled IS
  'Files on SFTP servers that were fetched or are being fetched. Written before the first byte, so that a crash neither loses a file nor drops it twice.';
COMMENT ON COLUMN pulled.pull_no IS 'Number of the pull.';
COMMENT ON COLUMN pulled.folder IS 'Drop folder that it is pulled for.';
COMMENT ON COLUMN pulled.name IS 'Name that it has on the server, long digit runs masked.';
COMMENT ON COLUMN pulled.identity IS
  'Keyed fingerprint of name, size and time on the server. Another version of a file is another file.';
COMMENT ON COLUMN pulled.state IS
  'fetching: nothing is certain. fetched: it is here, whole, under a hidden name. dropped: it has its name in the drop folder. done: the server was told.';
COMMENT ON COLUMN pulled.sha256 IS 'SHA-256 of its bytes; null until it was fetched.';
COMMENT ON COLUMN pulled.state_at IS 'When it came into its state, by the clock of the host.';

CREATE INDEX dropped_pull ON pulled (folder) WHERE state = 'dropped';

CREATE TABLE push_target (
  target  text COLLATE "C" PRIMARY KEY,
  since   timestamptz NOT NULL
);
COMMENT ON TABLE push_target IS
  'SFTP folders that outputs are uploaded to, and since when. Outputs written before that time are not uploaded.';
COMMENT ON COLUMN push_target.target IS 'Name of the folder on its server, made from the settings.';
COMMENT ON COLUMN push_target.since IS 'When it was seen first, by the clock of the host.';

CREATE TABLE pushed (
  target     text COLLATE "C" NOT NULL REFERENCES push_target,
  file_id    text COLLATE "C" NOT NULL REFERENCES file,
  kind       text COLLATE "C" NOT NULL,
  number     integer NOT NULL,
  pushed_at  timestamptz NOT NULL,
  PRIMARY KEY (target, file_id, kind, number)
);
COMMENT ON TABLE pushed IS 'Outputs that were uploaded, by target.';
COMMENT ON COLUMN pushed.target IS 'Where it was uploaded to.';
COMMENT ON COLUMN pushed.file_id IS 'The payment file that the output is about.';
COMMENT ON COLUMN pushed.kind IS 'As output.kind.';
COMMENT ON COLUMN pushed.number IS 'As output.number.';
COMMENT ON COLUMN pushed.pushed_at IS 'When the upload was complete, by the clock of the host.';
