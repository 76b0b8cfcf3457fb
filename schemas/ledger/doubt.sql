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
COMMENT ON COLUMN transaction_report.report_no IS 'Number by which its findings refer to it.';
COMMENT ON COLUMN transaction_report.file_id IS 'File of the batch in doubt.';
COMMENT ON COLUMN transaction_report.batch_no IS 'Number of the batch in its file.';
COMMENT ON COLUMN transaction_report.attempt IS 'The attempt that it was read for. It says nothing about a later one.';
COMMENT ON COLUMN transaction_report.name IS 'Name of the file with the report.';
COMMENT ON COLUMN transaction_report.sha256 IS 'SHA-256 of its bytes. The same report counts once for an attempt.';
COMMENT ON COLUMN transaction_report.lines IS 'How many payments it lists.';
COMMENT ON COLUMN transaction_report.oldest_at IS
  'Time of its oldest payment, by the clock of the service; null when it lists none.';
COMMENT ON COLUMN transaction_report.newest_at IS
  'Time of its newest payment, by the clock of the service; null when it lists none.';
COMMENT ON COLUMN transaction_report.covers IS
  'True when a payment that the report lacks was not booked by then: the report lists approved payments of this account from before the attempt and from after it.';
COMMENT ON COLUMN transaction_report.actor IS 'User who supplied it, as audit.actor.';
COMMENT ON COLUMN transaction_report.reason IS 'Why, in the words of that user.';
COMMENT ON COLUMN transaction_report.at IS 'When it was read, by the clock of the database.';

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
COMMENT ON COLUMN row_finding.file_no IS 'File of the row.';
COMMENT ON COLUMN row_finding.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN row_finding.report_no IS 'The report.';
COMMENT ON COLUMN row_finding.finding IS
  'found: the report has the row. absent: it lacks the row. ambiguous: it may have the row.';
COMMENT ON COLUMN row_finding.outcome IS 'Outcome of a found row; null otherwise.';
COMMENT ON COLUMN row_finding.code IS 'Response code of the service; null without one.';
COMMENT ON COLUMN row_finding.message IS
  'Text of the service for a found row; for an ambiguous row, why it cannot be decided; empty for an absent one.';
COMMENT ON COLUMN row_finding."authorization" IS 'Authorization code of the service; empty without one.';
COMMENT ON COLUMN row_finding.transaction_id IS 'Id of the payment at the service; empty without one.';

CREATE TRIGGER findings_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON row_finding
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
