-- What is done once for each batch must not cost more the more rows or batches there are.

-- The outcomes that a statement adds are those of lines close together, so their rows are read from the first to the last.
-- Without nested loops, because the planner knows nothing of rows that were just written: it takes them for a few, and
-- compared each of 5,000 with each, for a second.
CREATE OR REPLACE FUNCTION add_batch_outcomes() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
  span record;
BEGIN
  FOR span IN SELECT file_no, min(line) AS first_line, max(line) AS last_line FROM added GROUP BY file_no LOOP
    INSERT INTO batch_outcome
      SELECT span.file_no, r.batch_no, a.outcome, count(*), sum(r.amount_cents)
      FROM added a JOIN payment_row r USING (file_no, line)
      WHERE r.file_no = span.file_no AND r.line BETWEEN span.first_line AND span.last_line AND r.batch_no IS NOT NULL
      GROUP BY r.batch_no, a.outcome
    ON CONFLICT (file_no, batch_no, outcome)
      DO UPDATE SET rows = batch_outcome.rows + excluded.rows, cents = batch_outcome.cents + excluded.cents;
  END LOOP;
  RETURN NULL;
END $$;

-- The next batch to send is looked for file by file, in the order of the files; and whether one of a file is open yet.
CREATE INDEX file_under_way ON file (account, file_no) WHERE state IN ('accepted', 'in_progress');
CREATE INDEX ready_batch ON batch (file_id, batch_no) WHERE state = 'ready';
CREATE INDEX open_batch_of_file ON batch (file_id) WHERE state NOT IN ('reconciled', 'cancelled');
