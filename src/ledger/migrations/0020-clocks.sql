-- Three clocks tell when a call was made: that of the database, which all hosts share, that of the host, and that of the
-- service. Each may be wrong or be set while a call is under way. So calls are numbered in their order as well.
ALTER TABLE attempt
  ADD COLUMN call_no bigint,
  ADD COLUMN host_at timestamptz,
  ADD COLUMN service_at timestamptz;
COMMENT ON COLUMN attempt.call_no IS 'Grows from call to call of an account. Empty for a call that only the send journal knew.';
COMMENT ON COLUMN attempt.started_at IS 'By the clock of the database, as ended_at is.';
COMMENT ON COLUMN attempt.host_at IS 'When it began by the clock of the host that made it.';
COMMENT ON COLUMN attempt.service_at IS 'When the service answered by its own clock, in whole seconds, or said the time right after a call without an answer.';

UPDATE attempt SET call_no = n
FROM (SELECT file_id, batch_no, attempt, row_number() OVER (ORDER BY started_at) AS n FROM attempt) o
WHERE (attempt.file_id, attempt.batch_no, attempt.attempt) = (o.file_id, o.batch_no, o.attempt);
CREATE SEQUENCE call_no OWNED BY attempt.call_no;
SELECT setval('call_no', (SELECT count(*) + 1 FROM attempt), false);
CREATE INDEX attempt_by_call ON attempt (call_no);

-- Files of which rows were withheld, by their time: "paydrop status" names those of the last days.
CREATE INDEX IF NOT EXISTS file_withheld ON file (claimed_at) WHERE invalid_rows > 0;
