-- Files that users upload in the dashboard.

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
  'Files that a user uploaded in the dashboard. The user who uploaded a file may not approve it.';
COMMENT ON COLUMN upload.upload_no IS 'Number of the upload.';
COMMENT ON COLUMN upload.account IS 'Account of its drop folder.';
COMMENT ON COLUMN upload.folder IS 'Drop folder that it was put into.';
COMMENT ON COLUMN upload.name IS 'Name of the file, long digit runs masked.';
COMMENT ON COLUMN upload.sha256 IS 'SHA-256 of its bytes, by which it is recognized when it is claimed.';
COMMENT ON COLUMN upload.bytes IS 'Size in bytes.';
COMMENT ON COLUMN upload.actor IS 'User who uploaded it, as audit.actor.';
COMMENT ON COLUMN upload.at IS 'When it was uploaded, by the clock of the host.';
COMMENT ON COLUMN upload.file_id IS 'The file as it came through its drop folder; null until it is claimed.';
COMMENT ON COLUMN upload.replaces IS
  'The file that this one corrects; null when it corrects none. Uploading does not decline that file; a user does.';

CREATE INDEX upload_by_content ON upload (sha256) WHERE file_id IS NULL;
CREATE INDEX upload_by_file ON upload (file_id);
CREATE INDEX upload_by_replaced ON upload (replaces) WHERE replaces IS NOT NULL;
