-- Transaction reports of the service for batches in doubt.

CREATE TABLE transaction_report (
  report_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file_id    text COLLATE "C" NOT NULL,
  batch_no   integer NOT NULL,
  attempt    integer NOT NULL,
  name       text NOT NULL,
  sha256     text COLLATE "C" NOT NULL,
  lines      integer NOT NULL,
  oldest_at  timestamptz,
  newest_at  timestamptz,
  covers     boolean NOT NULL,
  actor      text NOT NULL,
  reason     text NOT NULL,
  at         timestamptz NOT NULL,
  UNIQUE (file_id, batch_no, attempt, sha256),
  FOREIGN KEY (file_id, batch_no) REFERENCES batch
);
COMMENT ON TABLE transaction_report IS
  'A transaction report of the service that a user supplied for a batch in doubt. The report itself is not kept.';
COMMENT ON COLUMN transaction_report.attempt IS 'The attempt that it was read for. It says nothing about a later one.';
COMMENT ON COLUMN transaction_report.covers IS
  'Whether a payment that is missing from it was not booked by then: it lists approved payments of this account from before the attempt to after it.';

CREATE TRIGGER reports_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON transaction_report
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE row_finding (
  file_no          bigint NOT NULL,
  line             integer NOT NULL,
  report_no        bigint NOT NULL REFERENCES transaction_report,
  finding          text NOT NULL CHECK (finding IN ('found', 'absent', 'ambiguous')),
  outcome          text,
  code             integer,
  message          text NOT NULL,
  "authorization"  text NOT NULL,
  transaction_id   text NOT NULL,
  PRIMARY KEY (file_no, line, report_no),
  CHECK ((outcome IS NULL) = (finding <> 'found'))
);
COMMENT ON TABLE row_finding IS 'What a transaction report says about each row of a batch in doubt.';
COMMENT ON COLUMN row_finding.message IS
  'Of a found row, the text of the service; of an ambiguous one, why it cannot be decided.';

CREATE TRIGGER findings_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON row_finding
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
