-- Prints of rows stand in a table of their own. There they come in the order of the prints, some hundred thousand at a time,
-- and go into neighbouring places of the index; in the order of the lines each met a page of its own, which was a third of
-- what the ledger did for a large file. And no row is ever changed any more: when the time of a file is over, its prints are
-- deleted. Prints of before had another form and are not found any more.
DROP TRIGGER rows_written_once ON payment_row;
DROP TRIGGER fingerprints_only_dropped ON payment_row;
DROP TRIGGER fingerprints_dropped_late ON payment_row;
DROP FUNCTION refuse_early_drop();
ALTER TABLE payment_row DROP COLUMN fingerprint;
CREATE TRIGGER rows_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_row
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE row_print (
  volume          bigint NOT NULL,
  print           bigint NOT NULL,
  file_no         bigint NOT NULL,
  line            integer NOT NULL
);
COMMENT ON TABLE row_print IS 'By what payments are known again: those that are sent and have an invoice.';
COMMENT ON COLUMN row_print.volume IS 'Number of a fingerprint_volume: it leads the index, so that a file goes into one place of it.';
CREATE INDEX row_print_by_print ON row_print (volume, print);
-- The prints of one file lie together, so it is enough to know in which pages.
CREATE INDEX row_print_by_file ON row_print USING brin (file_no) WITH (pages_per_range = 16, autosummarize = on);

CREATE TRIGGER prints_written_once BEFORE UPDATE OR TRUNCATE ON row_print
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Who holds the key of the prints could try all numbers that a masked one leaves open until one fits, so prints go with the key
-- of their file, and not before it.
CREATE FUNCTION refuse_early_drop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM (SELECT DISTINCT file_no FROM dropped) d JOIN file f USING (file_no) WHERE f.shredded_at IS NULL
  ) THEN
    RAISE EXCEPTION '% is written once', TG_TABLE_NAME USING ERRCODE = 'PD002';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER prints_dropped_late AFTER DELETE ON row_print REFERENCING OLD TABLE AS dropped
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_early_drop();
