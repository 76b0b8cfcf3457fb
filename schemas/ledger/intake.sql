-- Reading a file: its rows, their faults, and the fingerprints by which payments are recognized.

CREATE TABLE reading (
  file_id        text COLLATE "C" PRIMARY KEY,
  begun          integer NOT NULL,
  worker         text NOT NULL,
  at             timestamptz NOT NULL,
  checked_rows   bigint,
  expected_rows  bigint
);
COMMENT ON TABLE reading IS
  'Readings of claimed files that began. A reading that ended its process is counted, so that such a file is not read forever.';
COMMENT ON COLUMN reading.file_id IS 'The file. It may have no row in file yet.';
COMMENT ON COLUMN reading.begun IS
  'Readings that began and were not ended by their reader. Each but the present one ended with its process.';
COMMENT ON COLUMN reading.worker IS 'Process that began the newest reading.';
COMMENT ON COLUMN reading.at IS 'When the newest reading began, by the clock of the host.';
COMMENT ON COLUMN reading.checked_rows IS
  'Rows checked so far by the newest reading; null until it has taken a few seconds.';
COMMENT ON COLUMN reading.expected_rows IS
  'Rows of the whole file, estimated from the bytes read so far; null as long as checked_rows.';

CREATE TABLE payment_row (
  file_no        bigint NOT NULL,
  line           integer NOT NULL,
  batch_no       integer,
  invoice        text NOT NULL,
  customer_code  text NOT NULL,
  amount_cents   bigint,
  last_four      text NOT NULL,
  PRIMARY KEY (file_no, line),
  CHECK (batch_no IS NULL OR amount_cents IS NOT NULL)
);
COMMENT ON TABLE payment_row IS
  'The rows of a file as accounting sent them, with masked numbers. Written once; deleted only after the file was archived.';
COMMENT ON COLUMN payment_row.file_no IS 'Its file.';
COMMENT ON COLUMN payment_row.line IS 'Physical line of the file, from 1.';
COMMENT ON COLUMN payment_row.batch_no IS 'Number of its batch in the file; null for a withheld row.';
COMMENT ON COLUMN payment_row.invoice IS 'Invoice number; empty without one.';
COMMENT ON COLUMN payment_row.customer_code IS 'Customer code; empty without one.';
COMMENT ON COLUMN payment_row.amount_cents IS 'Amount in cents; null for a withheld row whose amount cannot be read.';
COMMENT ON COLUMN payment_row.last_four IS
  'Last four digits of the card or account number; the whole number is never stored.';

CREATE TRIGGER rows_written_once BEFORE UPDATE OR TRUNCATE ON payment_row
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The few rows of a file that are withheld. Rows of a batch are found by its lines, through the primary key.
CREATE INDEX withheld_row ON payment_row (file_no, line) WHERE batch_no IS NULL;
-- Search by the beginning of an invoice number, in any case.
CREATE INDEX payment_row_by_invoice_start ON payment_row (lower(invoice) text_pattern_ops);

CREATE TABLE row_fault (
  file_no      bigint NOT NULL,
  seq          integer NOT NULL,
  line         integer NOT NULL,
  column_name  text,
  code         text NOT NULL,
  detail       text,
  value        text,
  PRIMARY KEY (file_no, seq)
);
COMMENT ON TABLE row_fault IS 'What is wrong with the rows that were withheld, by line and column.';
COMMENT ON COLUMN row_fault.file_no IS 'File of the row.';
COMMENT ON COLUMN row_fault.seq IS 'Order within the file.';
COMMENT ON COLUMN row_fault.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN row_fault.column_name IS 'Column of the payment file; null when the fault is of the whole row.';
COMMENT ON COLUMN row_fault.code IS 'Error code of schemas/errors.ts.';
COMMENT ON COLUMN row_fault.detail IS
  'More about the fault, without numbers of cards or accounts; null when the code says all.';
COMMENT ON COLUMN row_fault.value IS 'The value, masked; null where it could hold a number.';

-- The faults of one row; a file may have a million of others.
CREATE INDEX row_fault_by_line ON row_fault (file_no, line);

-- The number of its volume leads each fingerprint, so the rows of a file go into one narrow place of the index. Spread
-- over all of it, each row of a large file would touch a page of its own.
CREATE TABLE fingerprint_volume (
  volume       bigint PRIMARY KEY,
  merchant_no  integer NOT NULL REFERENCES merchant,
  rows         bigint NOT NULL,
  newest_at    timestamptz NOT NULL,
  last_from    timestamptz
);
COMMENT ON TABLE fingerprint_volume IS 'Fingerprints of a merchant, in volumes of consecutive files.';
COMMENT ON COLUMN fingerprint_volume.volume IS 'Number of the file that began it.';
COMMENT ON COLUMN fingerprint_volume.merchant_no IS 'The merchant that was charged.';
COMMENT ON COLUMN fingerprint_volume.rows IS 'How many fingerprints were put into it.';
COMMENT ON COLUMN fingerprint_volume.newest_at IS 'When the newest of its files was claimed.';
COMMENT ON COLUMN fingerprint_volume.last_from IS 'aged_from of the file that was decided last; null before the first.';

CREATE INDEX fingerprint_volume_by_merchant ON fingerprint_volume (merchant_no, volume);

-- Fingerprints are inserted in their order, some hundred thousand at a time, and go into neighboring places of the index.
CREATE TABLE row_fingerprint (
  volume       bigint NOT NULL,
  fingerprint  bigint NOT NULL,
  file_no      bigint NOT NULL,
  line         integer NOT NULL
);
COMMENT ON TABLE row_fingerprint IS
  'Numbers by which payments are recognized when they come again: of rows that are sent and have an invoice.';
COMMENT ON COLUMN row_fingerprint.volume IS
  'A fingerprint_volume. It leads the index, so that a file goes into one place of it.';
COMMENT ON COLUMN row_fingerprint.fingerprint IS
  'From the left: half of it depends on invoice and amount, two bits are the kind of payer, and 30 bits depend on invoice, payer and amount.';
COMMENT ON COLUMN row_fingerprint.file_no IS 'File of the row.';
COMMENT ON COLUMN row_fingerprint.line IS 'Physical line of the row, from 1.';

-- They are spread evenly, so their least and their greatest tell the planner as much as a hundred of them.
ALTER TABLE row_fingerprint ALTER COLUMN fingerprint SET STATISTICS 1;
CREATE INDEX row_fingerprint_by_fingerprint ON row_fingerprint (volume, fingerprint);
-- The fingerprints of one file lie together, so it is enough to know in which pages.
CREATE INDEX row_fingerprint_by_file ON row_fingerprint USING brin (file_no) WITH (pages_per_range = 16, autosummarize = on);
CREATE TRIGGER fingerprints_written_once BEFORE UPDATE OR TRUNCATE ON row_fingerprint
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Fingerprints are deleted only after the key of their file was destroyed, because they recognize a payment that comes
-- again. Then they must go: a holder of the fingerprint key could try every number that fits a masked one until a
-- fingerprint matches.
CREATE FUNCTION refuse_early_fingerprint_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM (SELECT DISTINCT file_no FROM dropped) d JOIN file f USING (file_no) WHERE f.shredded_at IS NULL
  ) THEN
    RAISE EXCEPTION '% is written once', TG_TABLE_NAME USING ERRCODE = 'PD002';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER fingerprints_dropped_late AFTER DELETE ON row_fingerprint REFERENCING OLD TABLE AS dropped
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_early_fingerprint_loss();

-- == Functions ==

-- Decides files that were read, or refused unread, one or many. A file that is decided already stays as it is. The batches
-- of a refused file go; its rows stay, so that a search for an invoice finds them. This also ends the count of its readings.
-- p_files: as in read_decisions. Returns those that were decided.
CREATE FUNCTION commit_intake(p_at timestamptz, p_database_now timestamptz, p_files jsonb) RETURNS TABLE (file_id text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM batch b USING read_decisions(p_files) d, file f
    WHERE d.state = 'rejected' AND b.file_id = d.file_id AND f.file_id = d.file_id AND f.state = 'claimed';
  DELETE FROM reading r USING read_decisions(p_files) d WHERE r.file_id = d.file_id;
  UPDATE file_secret s SET row_set = d.row_set, content_key = d.content_key FROM read_decisions(p_files) d
    WHERE s.file_id = d.file_id AND (d.row_set IS NOT NULL OR d.content_key IS NOT NULL);
  RETURN QUERY
    UPDATE file f SET state = d.state, state_at = p_at, known_at = p_database_now, reason_code = d.code, reason = d.reason,
      duplicate_of = d.duplicate_of, layout = d.layout, header_line = d.header_line, physical_lines = d.physical_lines,
      blank_lines = d.blank_lines, records = d.records, valid_rows = d.valid_rows, valid_cents = d.valid_cents,
      invalid_rows = d.invalid_rows, content_sha256 = d.content_sha256,
      fault_rules = d.fault_rules,
      profile_lines = coalesce(d.profile_lines, f.profile_lines), aged_from = coalesce(d.aged_from, f.aged_from),
      compared_from = coalesce(d.compared_from, f.compared_from), compared_to = coalesce(d.compared_to, f.compared_to),
      (withheld_cents, withheld_unreadable) = (
        SELECT coalesce(sum(r.amount_cents), 0), count(*) FILTER (WHERE r.amount_cents IS NULL)
        FROM payment_row r WHERE r.file_no = f.file_no AND r.batch_no IS NULL AND d.invalid_rows > 0)
    FROM read_decisions(p_files) d WHERE f.file_id = d.file_id AND f.state = 'claimed'
    RETURNING f.file_id;
END $$;

-- Reads a list of files: the state that each comes into, why, and what was found out, named as the columns of table file;
-- the mark of its rows; and the sealed session key of an encrypted one, in base64.
CREATE FUNCTION read_decisions(p_files jsonb)
RETURNS TABLE (file_id text, state text, code text, reason text, duplicate_of text, layout text, header_line integer,
               physical_lines integer, blank_lines integer, records integer, valid_rows integer, valid_cents bigint,
               invalid_rows integer, content_sha256 text, profile_lines jsonb, row_set text, content_key bytea,
               aged_from timestamptz, compared_from timestamptz, compared_to bigint, fault_rules jsonb)
LANGUAGE sql STABLE ROWS 20 AS $$
  SELECT r."fileId", r.state, r.code, r.reason, r."duplicateOf", r.layout, r."headerLine", r."physicalLines", r."blankLines",
         r.records, r."validRows", r."validCents", r."invalidRows", r."contentSha256", r."profileLines", r."rowSet",
         decode(r."contentKey", 'base64'), r."agedFrom", r."comparedFrom", r."comparedTo", r."faultRules"
  FROM jsonb_to_recordset(p_files) AS r (
    "fileId" text, state text, code text, reason text, "duplicateOf" text, layout text, "headerLine" integer,
    "physicalLines" integer, "blankLines" integer, records integer, "validRows" integer, "validCents" bigint,
    "invalidRows" integer, "contentSha256" text, "profileLines" jsonb, "rowSet" text, "contentKey" text,
    "agedFrom" timestamptz, "comparedFrom" timestamptz, "comparedTo" bigint, "faultRules" jsonb)
$$;
