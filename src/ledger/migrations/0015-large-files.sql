-- The rows of a batch are found by their lines, through the primary key of payment_row. An index on the number of the batch
-- did the same a second time, and cost a tenth of the intake of a large file.
ALTER TABLE batch
  ADD COLUMN first_line integer NOT NULL DEFAULT 0,
  ADD COLUMN last_line integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN batch.first_line IS 'Line of its first row in the file. Withheld rows may stand between its rows, rows of another batch never.';
UPDATE batch b SET first_line = r.first_line, last_line = r.last_line
FROM (SELECT f.file_id, r.batch_no, min(r.line) AS first_line, max(r.line) AS last_line
      FROM payment_row r JOIN file f USING (file_no) WHERE r.batch_no IS NOT NULL GROUP BY f.file_id, r.batch_no) r
WHERE b.file_id = r.file_id AND b.batch_no = r.batch_no;
ALTER TABLE batch
  ALTER COLUMN first_line DROP DEFAULT,
  ALTER COLUMN last_line DROP DEFAULT,
  ADD CHECK (first_line <= last_line);

DROP INDEX payment_row_by_batch;
-- The few rows of a file that are withheld, which that index found, too.
CREATE INDEX withheld_row ON payment_row (file_no, line) WHERE batch_no IS NULL;

-- Fingerprints are kept in volumes, one after the other for each account: the number of its volume leads each of them, so that
-- the rows of a file go into one narrow place of the index. Spread over all of it, each row of a large file met a page of its
-- own, and ten million older rows made taking in a million twenty times as slow. Fingerprints of before have no volume and
-- are not found any more.
CREATE TABLE fingerprint_volume (
  volume          bigint PRIMARY KEY,
  account         text NOT NULL,
  rows            bigint NOT NULL,
  newest_at       timestamptz NOT NULL
);
COMMENT ON COLUMN fingerprint_volume.volume IS 'Number of the file that began it.';
COMMENT ON COLUMN fingerprint_volume.newest_at IS 'When the newest of its files was claimed.';
CREATE INDEX fingerprint_volume_by_account ON fingerprint_volume (account, volume);
DROP INDEX payment_row_by_fingerprint;
CREATE INDEX payment_row_by_fingerprint ON payment_row (fingerprint) WHERE fingerprint IS NOT NULL AND invoice <> '';
