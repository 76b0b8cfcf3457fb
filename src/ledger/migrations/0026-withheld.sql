-- What the withheld rows of a file come to, added up once when it is decided: a file may have a million of them, and whoever
-- looks at the last files asks for many such sums at once.
ALTER TABLE file
  ADD COLUMN withheld_cents bigint NOT NULL DEFAULT 0,
  ADD COLUMN withheld_unreadable integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN file.withheld_cents IS 'Without the amounts that cannot be read.';
COMMENT ON COLUMN file.withheld_unreadable IS 'How many amounts of withheld rows cannot be read.';
UPDATE file f SET withheld_cents = w.cents, withheld_unreadable = w.unreadable
FROM (SELECT file_no, coalesce(sum(amount_cents), 0) AS cents, count(*) FILTER (WHERE amount_cents IS NULL) AS unreadable
      FROM payment_row WHERE batch_no IS NULL GROUP BY file_no) w
WHERE f.file_no = w.file_no AND f.invalid_rows > 0;
