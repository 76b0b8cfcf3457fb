-- Late changes and corrections, results that are long in coming, and the figures of a day.

-- What became known of a row after its outcome was written. The outcome itself stays as it was delivered; the row's
-- present outcome is its last change, or else its first outcome.
CREATE TABLE row_change (
  file_no         bigint NOT NULL,
  line            integer NOT NULL,
  correction_no   integer NOT NULL CHECK (correction_no > 0),
  outcome         text NOT NULL,
  code            integer,
  message         text NOT NULL,
  "authorization" text NOT NULL,
  at              timestamptz NOT NULL,
  source          text NOT NULL,
  PRIMARY KEY (file_no, line, correction_no)
);
COMMENT ON COLUMN row_change.correction_no IS 'Number of the correction file within the payment file, counted from 1.';
COMMENT ON COLUMN row_change.source IS 'Where the change is known from, in words for the correction file.';
CREATE TRIGGER changes_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON row_change
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE VIEW current_outcome AS
  SELECT o.file_no, o.line, coalesce(c.correction_no, 0) AS correction_no,
         coalesce(c.outcome, o.outcome) AS outcome,
         CASE WHEN c.line IS NULL THEN o.code ELSE c.code END AS code,
         coalesce(c.message, o.message) AS message,
         coalesce(c."authorization", o."authorization") AS "authorization"
  FROM row_outcome o
  LEFT JOIN LATERAL (SELECT * FROM row_change c WHERE c.file_no = o.file_no AND c.line = o.line
                     ORDER BY c.correction_no DESC LIMIT 1) c ON true;

-- Each change beside what it replaced.
CREATE VIEW outcome_change AS
  SELECT c.file_no, c.line, c.correction_no, c.outcome, c.code, c.message, c."authorization", c.at, c.source,
         coalesce(b.outcome, o.outcome) AS old_outcome,
         CASE WHEN b.line IS NULL THEN o.code ELSE b.code END AS old_code,
         coalesce(b.message, o.message) AS old_message
  FROM row_change c
  JOIN row_outcome o USING (file_no, line)
  LEFT JOIN LATERAL (SELECT * FROM row_change b WHERE b.file_no = c.file_no AND b.line = c.line
                       AND b.correction_no < c.correction_no
                     ORDER BY b.correction_no DESC LIMIT 1) b ON true;

-- Rows and money of a batch per first outcome. A day of a million rows is a few thousand lines here.
CREATE TABLE batch_outcome (
  file_no         bigint NOT NULL,
  batch_no        integer NOT NULL,
  outcome         text NOT NULL,
  rows            integer NOT NULL,
  cents           bigint NOT NULL,
  PRIMARY KEY (file_no, batch_no, outcome)
);

-- Added up by the database in the statement that writes outcomes, so that no writer of outcomes can forget it.
CREATE FUNCTION add_batch_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO batch_outcome
    SELECT a.file_no, r.batch_no, a.outcome, count(*), sum(r.amount_cents)
    FROM added a JOIN payment_row r USING (file_no, line) WHERE r.batch_no IS NOT NULL
    GROUP BY a.file_no, r.batch_no, a.outcome
  ON CONFLICT (file_no, batch_no, outcome)
    DO UPDATE SET rows = batch_outcome.rows + excluded.rows, cents = batch_outcome.cents + excluded.cents;
  RETURN NULL;
END $$;
CREATE TRIGGER outcomes_added_up AFTER INSERT ON row_outcome
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_batch_outcomes();
INSERT INTO batch_outcome
  SELECT o.file_no, r.batch_no, o.outcome, count(*), sum(r.amount_cents)
  FROM row_outcome o JOIN payment_row r USING (file_no, line) WHERE r.batch_no IS NOT NULL
  GROUP BY o.file_no, r.batch_no, o.outcome;

-- Summed up, the present totals per outcome: the first outcomes, and what changes have moved from one to another.
CREATE VIEW outcome_movement AS
  SELECT file_no, batch_no, outcome, rows, cents FROM batch_outcome
  UNION ALL
  SELECT c.file_no, r.batch_no, c.outcome, 1, r.amount_cents FROM outcome_change c JOIN payment_row r USING (file_no, line)
  UNION ALL
  SELECT c.file_no, r.batch_no, c.old_outcome, -1, -r.amount_cents FROM outcome_change c JOIN payment_row r USING (file_no, line);

-- Corrections come several times, so outputs are numbered; the others have the number 0.
ALTER TABLE output
  ADD COLUMN number integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT output_pkey,
  ADD PRIMARY KEY (file_id, kind, number);

-- A result that came back otherwise when it was asked for again is kept beside the first.
ALTER TABLE sealed_part
  DROP CONSTRAINT sealed_part_part_check,
  ADD CONSTRAINT sealed_part_part_check CHECK (part ~ '^(body|result|recheck-[1-9][0-9]*)$');

ALTER TABLE batch
  ADD COLUMN rechecks integer NOT NULL DEFAULT 0,
  ADD COLUMN next_recheck_at timestamptz,
  ADD COLUMN stale_since timestamptz,
  ADD COLUMN poll_alarm text;
COMMENT ON COLUMN batch.rechecks IS 'How often the result of the reconciled batch was asked for again.';
COMMENT ON COLUMN batch.stale_since IS 'Since when its result is overdue.';
COMMENT ON COLUMN batch.poll_alarm IS 'Unknown text of the service that an alarm was raised for.';
CREATE INDEX batch_to_recheck ON batch (next_recheck_at) WHERE next_recheck_at IS NOT NULL;

-- When a file was accepted, by whichever way; the day report counts it from then on.
ALTER TABLE file ADD COLUMN accepted_at timestamptz;
CREATE FUNCTION note_acceptance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state = 'accepted' AND OLD.state <> 'accepted' THEN NEW.accepted_at := NEW.state_at; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER noted_acceptance BEFORE UPDATE OF state ON file FOR EACH ROW EXECUTE FUNCTION note_acceptance();
UPDATE file f SET accepted_at = (SELECT min(a.at) FROM audit a WHERE a.file_id = f.file_id AND a.to_state = 'accepted');
CREATE INDEX file_by_acceptance ON file (account, accepted_at) WHERE accepted_at IS NOT NULL;

-- When a batch became final. Not before its file was accepted, also when the clock was set back between the two.
ALTER TABLE batch ADD COLUMN final_at timestamptz;
CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state IN ('reconciled', 'cancelled') AND OLD.state <> NEW.state THEN
    NEW.final_at := greatest(NEW.state_at, (SELECT f.accepted_at FROM file f WHERE f.file_id = NEW.file_id));
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER noted_end BEFORE UPDATE OF state ON batch FOR EACH ROW EXECUTE FUNCTION note_end();
UPDATE batch b SET final_at = greatest(b.state_at, f.accepted_at)
  FROM file f WHERE f.file_id = b.file_id AND b.state IN ('reconciled', 'cancelled');
CREATE INDEX batch_by_end ON batch (account, final_at) WHERE final_at IS NOT NULL;
CREATE INDEX batch_not_ended ON batch (account) WHERE final_at IS NULL;
