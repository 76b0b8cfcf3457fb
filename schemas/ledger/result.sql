-- Results: the outcome of each row, what changed later, and sums by batch.

CREATE TABLE row_outcome (
  file_no          bigint NOT NULL,
  line             integer NOT NULL,
  outcome          text NOT NULL,
  code             integer,
  message          text NOT NULL,
  "authorization"  text NOT NULL,
  PRIMARY KEY (file_no, line)
);
COMMENT ON TABLE row_outcome IS
  'The first outcome of each row, as it was delivered. Written once; deleted only after the file was archived.';
COMMENT ON COLUMN row_outcome.file_no IS 'File of the row.';
COMMENT ON COLUMN row_outcome.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN row_outcome.outcome IS 'Outcome of a sent row in schemas/lifecycle.ts.';
COMMENT ON COLUMN row_outcome.code IS 'Response code of the service; null without one.';
COMMENT ON COLUMN row_outcome.message IS 'Text of the service or of the decision; empty without one.';
COMMENT ON COLUMN row_outcome."authorization" IS 'Authorization code of the service; empty without one.';

CREATE TRIGGER outcomes_written_once BEFORE UPDATE OR TRUNCATE ON row_outcome
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Rows that were not paid and may be sent again, then those that are uncertain; the newest file first. Paid rows are not
-- in these indexes and cost nothing.
CREATE INDEX row_outcome_not_paid ON row_outcome (file_no DESC, line) INCLUDE (outcome, code)
  WHERE outcome IN ('declined', 'format_error', 'not_charged');
CREATE INDEX row_outcome_uncertain ON row_outcome (file_no DESC, line) INCLUDE (outcome, code)
  WHERE outcome IN ('duplicate', 'unknown');

CREATE TABLE row_change (
  file_no          bigint NOT NULL,
  line             integer NOT NULL,
  correction_no    integer NOT NULL CHECK (correction_no > 0),
  outcome          text NOT NULL,
  code             integer,
  message          text NOT NULL,
  "authorization"  text NOT NULL,
  at               timestamptz NOT NULL,
  source           text NOT NULL,
  PRIMARY KEY (file_no, line, correction_no)
);
COMMENT ON TABLE row_change IS
  'What became known of a row after its outcome was delivered. The latest change is its present outcome.';
COMMENT ON COLUMN row_change.file_no IS 'File of the row.';
COMMENT ON COLUMN row_change.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN row_change.correction_no IS 'Number of the correction file within the payment file, counted from 1.';
COMMENT ON COLUMN row_change.outcome IS 'New outcome of the row in schemas/lifecycle.ts.';
COMMENT ON COLUMN row_change.code IS 'Response code of the service; null without one.';
COMMENT ON COLUMN row_change.message IS 'Text of the service or of the decision; empty without one.';
COMMENT ON COLUMN row_change."authorization" IS 'Authorization code of the service; empty without one.';
COMMENT ON COLUMN row_change.at IS 'When the change was recorded, by the clock of the host.';
COMMENT ON COLUMN row_change.source IS 'Where the change is known from, in words for the correction file.';

CREATE TRIGGER changes_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON row_change
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX row_change_not_paid ON row_change (file_no DESC, line) INCLUDE (correction_no, outcome, code)
  WHERE outcome IN ('declined', 'format_error', 'not_charged');
CREATE INDEX row_change_uncertain ON row_change (file_no DESC, line) INCLUDE (correction_no, outcome, code)
  WHERE outcome IN ('duplicate', 'unknown');
-- Changes of a day, for its report; there may be as many as there are rows.
CREATE INDEX row_change_by_time ON row_change USING brin (at);

CREATE VIEW current_outcome AS
  SELECT o.file_no, o.line, coalesce(c.correction_no, 0) AS correction_no,
         coalesce(c.outcome, o.outcome) AS outcome,
         CASE WHEN c.line IS NULL THEN o.code ELSE c.code END AS code,
         coalesce(c.message, o.message) AS message,
         coalesce(c."authorization", o."authorization") AS "authorization"
  FROM row_outcome o
  LEFT JOIN LATERAL (SELECT * FROM row_change c WHERE c.file_no = o.file_no AND c.line = o.line
                     ORDER BY c.correction_no DESC LIMIT 1) c ON true;
COMMENT ON VIEW current_outcome IS 'The present outcome of each row: its latest change, or its first outcome.';
COMMENT ON COLUMN current_outcome.file_no IS 'File of the row.';
COMMENT ON COLUMN current_outcome.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN current_outcome.correction_no IS 'Number of the correction file with its latest change; 0 without a change.';
COMMENT ON COLUMN current_outcome.outcome IS 'Present outcome in schemas/lifecycle.ts.';
COMMENT ON COLUMN current_outcome.code IS 'Response code of the service; null without one.';
COMMENT ON COLUMN current_outcome.message IS 'Text of the service or of the decision; empty without one.';
COMMENT ON COLUMN current_outcome."authorization" IS 'Authorization code of the service; empty without one.';

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
COMMENT ON VIEW outcome_change IS 'Each change of an outcome, beside the outcome that it replaced.';
COMMENT ON COLUMN outcome_change.file_no IS 'File of the row.';
COMMENT ON COLUMN outcome_change.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN outcome_change.correction_no IS 'As row_change.correction_no.';
COMMENT ON COLUMN outcome_change.outcome IS 'New outcome in schemas/lifecycle.ts.';
COMMENT ON COLUMN outcome_change.code IS 'As row_change.code.';
COMMENT ON COLUMN outcome_change.message IS 'As row_change.message.';
COMMENT ON COLUMN outcome_change."authorization" IS 'As row_change.authorization.';
COMMENT ON COLUMN outcome_change.at IS 'As row_change.at.';
COMMENT ON COLUMN outcome_change.source IS 'As row_change.source.';
COMMENT ON COLUMN outcome_change.old_outcome IS 'Outcome before the change.';
COMMENT ON COLUMN outcome_change.old_code IS 'Response code before the change; null without one.';
COMMENT ON COLUMN outcome_change.old_message IS 'Text before the change.';

-- Rows of finished batches whose outcome is unknown. A user closed some of them. The others are undecided: the answer of
-- the service does not say whether they were charged, or a newer report casts doubt on them. Undecided rows wait for a
-- report, for a later result, or for a user who closes them. The offsets make PostgreSQL look up one row after the other;
-- there are few.
CREATE VIEW unknown_row AS
  SELECT u.file_no, u.line, u.code, u.message, r.batch_no, r.invoice, r.amount_cents, b.file_id, b.account,
         coalesce(u.at, b.final_at, b.state_at) AS since,
         b.doubt_closed_at IS NOT NULL AND (u.at IS NULL OR u.at <= b.doubt_closed_at) AS is_closed
  FROM (SELECT file_no, line, 0 AS correction_no, code, message, NULL::timestamptz AS at
        FROM row_outcome WHERE outcome = 'unknown'
        UNION ALL
        SELECT file_no, line, correction_no, code, message, at FROM row_change WHERE outcome = 'unknown') u
    CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = u.file_no AND x.line = u.line OFFSET 0) r
    CROSS JOIN LATERAL (SELECT file_id FROM file x WHERE x.file_no = u.file_no OFFSET 0) f
    CROSS JOIN LATERAL (SELECT * FROM batch x WHERE x.file_id = f.file_id AND x.batch_no = r.batch_no OFFSET 0) b
  WHERE NOT EXISTS (SELECT 1 FROM row_change c WHERE c.file_no = u.file_no AND c.line = u.line
                      AND c.correction_no > u.correction_no);
COMMENT ON VIEW unknown_row IS
  'Rows of finished batches whose outcome is unknown: undecided ones, and those that a user closed.';
COMMENT ON COLUMN unknown_row.file_no IS 'File of the row.';
COMMENT ON COLUMN unknown_row.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN unknown_row.code IS 'Response code of the service; null without one.';
COMMENT ON COLUMN unknown_row.message IS 'What the service answered, or why the row is in doubt.';
COMMENT ON COLUMN unknown_row.batch_no IS 'Number of its batch in the file.';
COMMENT ON COLUMN unknown_row.invoice IS 'As payment_row.invoice.';
COMMENT ON COLUMN unknown_row.amount_cents IS 'As payment_row.amount_cents.';
COMMENT ON COLUMN unknown_row.file_id IS 'Id of its file.';
COMMENT ON COLUMN unknown_row.account IS 'Present name of the account of its file.';
COMMENT ON COLUMN unknown_row.since IS
  'Since when its outcome is unknown, by the clock of the host: when it was last changed, or when its batch became final.';
COMMENT ON COLUMN unknown_row.is_closed IS
  'Whether a user has closed it since then (batch.doubt_closed_at); otherwise it is undecided.';

CREATE TABLE batch_outcome (
  file_no   bigint NOT NULL,
  batch_no  integer NOT NULL,
  outcome   text COLLATE "C" NOT NULL,
  rows      integer NOT NULL,
  cents     bigint NOT NULL,
  PRIMARY KEY (file_no, batch_no, outcome)
);
COMMENT ON TABLE batch_outcome IS
  'Rows and cents of a batch by first outcome. A day of a million rows is a few thousand lines here. They stay when the rows are archived, and then are the last outcomes too: a file with a later change is not archived.';
COMMENT ON COLUMN batch_outcome.file_no IS 'File of the batch.';
COMMENT ON COLUMN batch_outcome.batch_no IS 'Number of the batch in its file.';
COMMENT ON COLUMN batch_outcome.outcome IS 'First outcome of these rows.';
COMMENT ON COLUMN batch_outcome.rows IS 'How many rows have it.';
COMMENT ON COLUMN batch_outcome.cents IS 'Their sum, in cents.';

-- Adds up outcomes in the statement that writes them, so that no writer of outcomes can forget it. The outcomes of one
-- statement are of lines close together, so their rows are read from the first to the last. Without nested loops: the
-- planner believes that rows written just now are few, and would compare every row of the batch with every other.
CREATE FUNCTION add_batch_outcomes() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
  span record;
BEGIN
  FOR span IN SELECT file_no, min(line) AS first_line, max(line) AS last_line FROM added GROUP BY file_no LOOP
    INSERT INTO batch_outcome (file_no, batch_no, outcome, rows, cents)
      SELECT span.file_no, r.batch_no, a.outcome, count(*), sum(r.amount_cents)
      FROM added a JOIN payment_row r USING (file_no, line)
      WHERE r.file_no = span.file_no AND r.line BETWEEN span.first_line AND span.last_line AND r.batch_no IS NOT NULL
      GROUP BY r.batch_no, a.outcome
    ON CONFLICT (file_no, batch_no, outcome)
      DO UPDATE SET rows = batch_outcome.rows + excluded.rows, cents = batch_outcome.cents + excluded.cents;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER outcomes_added_up AFTER INSERT ON row_outcome
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_batch_outcomes();

CREATE VIEW outcome_movement AS
  SELECT file_no, batch_no, outcome, rows, cents FROM batch_outcome
  UNION ALL
  SELECT c.file_no, r.batch_no, c.outcome, 1, r.amount_cents FROM outcome_change c JOIN payment_row r USING (file_no, line)
  UNION ALL
  SELECT c.file_no, r.batch_no, c.old_outcome, -1, -r.amount_cents
  FROM outcome_change c JOIN payment_row r USING (file_no, line);
COMMENT ON VIEW outcome_movement IS
  'Rows and cents that add up to the present totals by outcome. First outcomes are lines of whole batches; a change is a line for the new outcome and one that takes the row from the old.';
COMMENT ON COLUMN outcome_movement.file_no IS 'File of the batch.';
COMMENT ON COLUMN outcome_movement.batch_no IS 'Number of the batch in its file.';
COMMENT ON COLUMN outcome_movement.outcome IS 'Outcome in schemas/lifecycle.ts.';
COMMENT ON COLUMN outcome_movement.rows IS 'Rows to add; negative where a change took them away.';
COMMENT ON COLUMN outcome_movement.cents IS 'Cents to add; negative where a change took them away.';

-- == Functions ==

-- Ends questions for results, one or many. A result that has just come is kept (move `receive`). Then the batch makes the
-- move that its judgement asks for (`reconcile` or `except`), if it has the very result that was judged. A late one, of an
-- exception, takes the place of an earlier one with what it was judged to be: it fits (`recover`), or it is another one
-- that does not (`misfit-again`, no change of state). A batch in another state, or with another batch id by now, stays as
-- it is. All processes lock batches in one order, so that none waits for another that waits for it. The outcomes of the
-- rows follow in the same transaction.
-- p_results: as in read_judged_results. p_sealed: the sealed bytes of the results that have just come, one after the other.
-- Returns the moves that were made, by place in the list.
CREATE FUNCTION commit_results(p_at timestamptz, p_results jsonb, p_sealed bytea)
RETURNS TABLE (place integer, move text, account text, operation text, batch_rows integer, batch_cents bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM FROM batch b JOIN read_judged_results(p_results) r ON b.file_id = r.file_id AND b.batch_no = r.batch_no
    ORDER BY b.file_id, b.batch_no FOR UPDATE OF b;
  RETURN QUERY
    WITH received AS (
      UPDATE batch b SET state = 'result_in', state_at = p_at, reason = r.received, result_at = p_at,
        result_sha256 = r.sha256, next_poll_at = NULL, stale_since = NULL, poll_alarm = NULL
      FROM read_judged_results(p_results) r
      WHERE b.file_id = r.file_id AND b.batch_no = r.batch_no AND b.state = 'submitted' AND b.batch_id = r.batch_id
        AND r.received IS NOT NULL
      RETURNING r.place, 'receive' AS move, r.sealed_from, r.sealed_bytes, b.*),
    -- A batch whose result was of another batch already has one. The audit trail keeps its hash.
    kept AS (
      INSERT INTO sealed_part (file_id, batch_no, part, bytes)
        SELECT c.file_id, c.batch_no, 'result', substring(p_sealed FROM c.sealed_from FOR c.sealed_bytes) FROM received c
      ON CONFLICT (file_id, batch_no, part) DO UPDATE SET bytes = excluded.bytes)
    SELECT c.place, c.move, c.account, c.operation, c.rows, c.cents FROM received c;
  -- Late results are rare, and looking for them takes as long as keeping the others.
  IF p_results @? '$[*].move ? (@ == "recover" || @ == "misfit-again")' THEN
    RETURN QUERY SELECT * FROM keep_late_results(p_at, p_results, p_sealed);
  END IF;
  RETURN QUERY
    UPDATE batch b SET state = CASE r.move WHEN 'reconcile' THEN 'reconciled' ELSE 'exception' END, state_at = p_at,
      reason = r.reason, next_recheck_at = CASE r.move WHEN 'reconcile' THEN r.next_at END,
      next_poll_at = CASE r.move WHEN 'except' THEN r.next_at END
    FROM read_judged_results(p_results) r
    WHERE b.file_id = r.file_id AND b.batch_no = r.batch_no AND b.state = 'result_in' AND b.result_sha256 = r.sha256
      AND r.move IN ('reconcile', 'except')
    RETURNING r.place, r.move, b.account, b.operation, b.rows, b.cents;
END $$;

-- Keeps late results of exceptions, for commit_results, which has locked their batches. Takes and returns the same.
CREATE FUNCTION keep_late_results(p_at timestamptz, p_results jsonb, p_sealed bytea)
RETURNS TABLE (place integer, move text, account text, operation text, batch_rows integer, batch_cents bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH recovered AS (
      UPDATE batch b SET state = 'reconciled', state_at = p_at, reason = r.reason, result_at = p_at,
        result_sha256 = r.sha256, next_poll_at = NULL, next_recheck_at = r.next_at
      FROM read_judged_results(p_results) r
      WHERE b.file_id = r.file_id AND b.batch_no = r.batch_no AND r.move = 'recover' AND b.state = 'exception'
        AND b.batch_id = r.batch_id
      RETURNING r.place, r.move, r.sealed_from, r.sealed_bytes, b.*),
    unfit AS (
      UPDATE batch b SET reason = r.reason, result_at = p_at, result_sha256 = r.sha256
      FROM read_judged_results(p_results) r
      WHERE b.file_id = r.file_id AND b.batch_no = r.batch_no AND r.move = 'misfit-again' AND b.state = 'exception'
        AND b.batch_id = r.batch_id AND b.result_sha256 IS DISTINCT FROM r.sha256
      RETURNING r.place, r.move, r.sealed_from, r.sealed_bytes, b.*),
    changed AS (SELECT * FROM recovered UNION ALL SELECT * FROM unfit),
    -- Such a batch already has a result, which did not fit. The audit trail keeps its hash.
    kept AS (
      INSERT INTO sealed_part (file_id, batch_no, part, bytes)
        SELECT c.file_id, c.batch_no, 'result', substring(p_sealed FROM c.sealed_from FOR c.sealed_bytes) FROM changed c
      ON CONFLICT (file_id, batch_no, part) DO UPDATE SET bytes = excluded.bytes)
    SELECT c.place, c.move, c.account, c.operation, c.rows, c.cents FROM changed c;
END $$;

-- Reads a list of {fileId, batchNo, sha256, batchId, received, sealedFrom, sealedBytes, move, reason, nextAt}: the result
-- of a batch by its hash; if it has just come, the batch id that it was asked for by, and where it stands among the sealed
-- bytes, from 1; if it was waited for, why it is kept before it is judged; if it was judged, the move, its reason, and when
-- the service is asked again.
CREATE FUNCTION read_judged_results(p_results jsonb)
RETURNS TABLE (place integer, file_id text, batch_no integer, sha256 text, batch_id text, received text, sealed_from integer,
               sealed_bytes integer, move text, reason text, next_at timestamptz)
LANGUAGE sql STABLE ROWS 20 AS $$
  SELECT r.ordinality::integer, r."fileId", r."batchNo", r.sha256, r."batchId", r.received, r."sealedFrom", r."sealedBytes", r.move,
         r.reason, r."nextAt"
  FROM ROWS FROM (jsonb_to_recordset(p_results) AS (
    "fileId" text, "batchNo" integer, sha256 text, "batchId" text, received text, "sealedFrom" integer,
    "sealedBytes" integer, move text, reason text, "nextAt" timestamptz)) WITH ORDINALITY r
$$;

-- Rows and money per outcome of these files, with their corrections up to this one. A row without an outcome is `invalid` if it
-- was withheld, else `not_sent`. Outcomes were added up batch by batch as they arrived, so none is looked up by row; rows that
-- corrections moved to another outcome are counted there. A file without rows is left out.
CREATE FUNCTION outcome_totals(p_file_nos bigint[], p_correction_no integer)
RETURNS TABLE (file_no bigint, outcome text, rows bigint, cents bigint)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH part (file_no, outcome, rows, cents) AS (
      SELECT wanted.file_no, r.* FROM unnest(p_file_nos) AS wanted (file_no) CROSS JOIN LATERAL (
        SELECT CASE WHEN p.batch_no IS NULL THEN 'invalid' ELSE 'not_sent' END, count(*), sum(p.amount_cents)
        FROM payment_row p WHERE p.file_no = wanted.file_no GROUP BY p.batch_no IS NULL OFFSET 0) r
      WHERE NOT EXISTS (SELECT FROM archived_file a WHERE a.file_no = wanted.file_no)
      UNION ALL
      SELECT a.file_no, kept.outcome, kept.rows, kept.cents FROM archived_file a CROSS JOIN LATERAL
        (VALUES ('not_sent', a.sent_rows, a.sent_cents), ('invalid', a.withheld_rows, a.withheld_cents))
          AS kept (outcome, rows, cents)
      WHERE a.file_no = ANY (p_file_nos)
      UNION ALL SELECT o.file_no, o.outcome, o.rows, o.cents FROM batch_outcome o WHERE o.file_no = ANY (p_file_nos)
      UNION ALL SELECT o.file_no, 'not_sent', -o.rows, -o.cents FROM batch_outcome o WHERE o.file_no = ANY (p_file_nos)
      UNION ALL
      SELECT c.file_no, moved.outcome, by, by * r.amount_cents
      FROM outcome_change c JOIN payment_row r ON r.file_no = c.file_no AND r.line = c.line
      CROSS JOIN LATERAL (VALUES (c.outcome, 1), (c.old_outcome, -1)) AS moved (outcome, by)
      WHERE p_correction_no > 0 AND c.file_no = ANY (p_file_nos) AND c.correction_no <= p_correction_no)
    SELECT t.file_no, t.outcome, sum(t.rows)::bigint, coalesce(sum(t.cents), 0)::bigint
    FROM part t GROUP BY t.file_no, t.outcome HAVING sum(t.rows) <> 0 OR sum(t.cents) <> 0;
END $$;
