-- Files that come and go by SFTP, and files that users upload.

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
COMMENT ON COLUMN pulled.name IS 'Name given by the sender, long digit runs masked.';
COMMENT ON COLUMN pulled.identity IS
  'Keyed fingerprint of name, size and time on the server. Another version of a file is another file.';
COMMENT ON COLUMN pulled.sha256 IS 'Null until it was fetched.';

CREATE INDEX dropped_pull ON pulled (folder) WHERE state = 'dropped';

CREATE TABLE push_target (
  target  text COLLATE "C" PRIMARY KEY,
  since   timestamptz NOT NULL
);
COMMENT ON TABLE push_target IS
  'SFTP places that outputs are uploaded to, since when. Outputs written before stay here.';

CREATE TABLE pushed (
  target     text COLLATE "C" NOT NULL REFERENCES push_target,
  file_id    text COLLATE "C" NOT NULL REFERENCES file,
  kind       text COLLATE "C" NOT NULL,
  number     integer NOT NULL,
  pushed_at  timestamptz NOT NULL,
  PRIMARY KEY (target, file_id, kind, number)
);
COMMENT ON TABLE pushed IS 'Outputs that were uploaded, by target.';

CREATE TABLE upload (
  upload_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account    text COLLATE "C" NOT NULL,
  folder     text NOT NULL,
  name       text NOT NULL,
  sha256     text COLLATE "C" NOT NULL,
  bytes      bigint NOT NULL,
  actor      text NOT NULL,
  at         timestamptz NOT NULL,
  file_id    text COLLATE "C" REFERENCES file,
  replaces   text COLLATE "C" REFERENCES file
);
COMMENT ON TABLE upload IS
  'Files that a user uploaded in the dashboard. Who made a file may not be the one who checks it.';
COMMENT ON COLUMN upload.file_id IS 'The file as it came through its drop folder; null until it is claimed.';
COMMENT ON COLUMN upload.replaces IS 'The file that this one corrects. Only a user declines that one.';

CREATE INDEX upload_by_content ON upload (account, sha256) WHERE file_id IS NULL;
CREATE INDEX upload_by_file ON upload (file_id);
CREATE INDEX upload_by_replaced ON upload (replaces) WHERE replaces IS NOT NULL;
