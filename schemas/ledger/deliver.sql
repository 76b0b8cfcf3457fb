-- Output files.

CREATE TABLE output (
  file_id     text COLLATE "C" NOT NULL REFERENCES file,
  kind        text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  sha256      text NOT NULL,
  bytes       bigint NOT NULL,
  rows        integer NOT NULL,
  written_at  timestamptz NOT NULL,
  number      integer NOT NULL DEFAULT 0,
  PRIMARY KEY (file_id, kind, number)
);
COMMENT ON TABLE output IS 'Files that were written for accounting, with the hash of their bytes.';
COMMENT ON COLUMN output.file_id IS 'The payment file that it is about.';
COMMENT ON COLUMN output.kind IS 'A kind of OUTPUT_KINDS in schemas/lifecycle.ts.';
COMMENT ON COLUMN output.name IS 'Name in the output folder of the account.';
COMMENT ON COLUMN output.sha256 IS 'SHA-256 of its bytes.';
COMMENT ON COLUMN output.bytes IS 'Size in bytes.';
COMMENT ON COLUMN output.rows IS 'How many rows it lists.';
COMMENT ON COLUMN output.written_at IS 'When it was written, by the clock of the host.';
COMMENT ON COLUMN output.number IS 'Number of a correction; 0 for the other kinds.';

CREATE INDEX output_by_time ON output (written_at);
