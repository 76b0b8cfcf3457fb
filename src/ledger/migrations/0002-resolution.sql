-- What people found out about batches in doubt, and what they concluded from it.

-- An attempt that ended in doubt keeps that verdict for ever; beside it stands what a person made of it.
ALTER TABLE attempt
  ADD COLUMN resolution text CHECK (resolution IN ('adopted', 'not_received', 'settled', 'in_doubt')),
  ADD COLUMN resolved_at timestamptz,
  ADD COLUMN resolved_by text,
  ADD CHECK ((resolution IS NULL) = (resolved_at IS NULL) AND (resolution IS NULL) = (resolved_by IS NULL));
COMMENT ON COLUMN attempt.resolution IS 'adopted: its batch id was found; not_received: the service never took it; settled: decided row by row from reports; in_doubt: closed without an answer.';

-- Held by the database itself: a batch is sent again only when every earlier call of it has a verdict, and every call
-- that ended in doubt a person's word that the service never took it.
CREATE FUNCTION refuse_unresolved_send() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM attempt a WHERE a.file_id = NEW.file_id AND a.batch_no = NEW.batch_no AND a.attempt <> NEW.attempt
      AND (a.verdict IS NULL OR (a.verdict = 'unknown' AND a.resolution IS DISTINCT FROM 'not_received'))
  ) THEN
    RAISE EXCEPTION 'an earlier attempt of batch % of file % has no resolution', NEW.batch_no, NEW.file_id
      USING ERRCODE = 'PD003';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER resolved_before_sent BEFORE UPDATE OF state ON batch
  FOR EACH ROW WHEN (NEW.state = 'sending' AND OLD.state <> 'sending') EXECUTE FUNCTION refuse_unresolved_send();

-- A transaction report of the service that somebody gave for a batch in doubt. The file itself is not kept.
CREATE TABLE journal_report (
  report_no       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file_id         text NOT NULL,
  batch_no        integer NOT NULL,
  attempt         integer NOT NULL,
  name            text NOT NULL,
  sha256          text NOT NULL,
  lines           integer NOT NULL,
  oldest_at       timestamptz,
  newest_at       timestamptz,
  covers          boolean NOT NULL,
  actor           text NOT NULL,
  reason          text NOT NULL,
  at              timestamptz NOT NULL,
  FOREIGN KEY (file_id, batch_no) REFERENCES batch,
  UNIQUE (file_id, batch_no, attempt, sha256)
);
COMMENT ON COLUMN journal_report.attempt IS 'The attempt that it was read for; it says nothing about a later one.';
COMMENT ON COLUMN journal_report.covers IS 'Whether a payment that it lacks was not booked by then: it lists approved payments of this account from before the attempt to after it.';

-- What each report says of each row of the batch.
CREATE TABLE row_finding (
  file_no         bigint NOT NULL,
  line            integer NOT NULL,
  report_no       bigint NOT NULL REFERENCES journal_report,
  finding         text NOT NULL CHECK (finding IN ('found', 'absent', 'ambiguous')),
  outcome         text CHECK ((outcome IS NULL) = (finding <> 'found')),
  code            integer,
  message         text NOT NULL,
  "authorization" text NOT NULL,
  transaction_id  text NOT NULL,
  PRIMARY KEY (file_no, line, report_no)
);
COMMENT ON COLUMN row_finding.message IS 'Of a found row the text of the service; of an ambiguous one why it cannot be told.';
CREATE TRIGGER reports_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON journal_report
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER findings_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON row_finding
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
