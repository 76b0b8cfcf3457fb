-- Readings of claimed files that began, so that a file whose reading ends the process is not read for ever.
CREATE TABLE reading (
  file_id         text PRIMARY KEY,
  begun           integer NOT NULL,
  worker          text NOT NULL,
  at              timestamptz NOT NULL
);
COMMENT ON TABLE reading IS 'Written before a file is read and taken back when its reader survives it. A file may stand here before it stands in file.';
COMMENT ON COLUMN reading.begun IS 'Readings that began and were not ended by their reader: each one but the present ended with its process.';
