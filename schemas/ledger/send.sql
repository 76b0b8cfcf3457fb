-- A batch and its calls.

CREATE TABLE batch (
  file_id          text COLLATE "C" NOT NULL REFERENCES file,
  batch_no         integer NOT NULL,
  account          text COLLATE "C" NOT NULL,
  operation        text NOT NULL,
  first_line       integer NOT NULL,
  last_line        integer NOT NULL,
  rows             integer NOT NULL,
  cents            bigint NOT NULL,
  body_sha256      text NOT NULL,
  state            text COLLATE "C" NOT NULL,
  state_at         timestamptz NOT NULL,
  reason           text,
  attempt          integer NOT NULL DEFAULT 1,
  releases         integer NOT NULL DEFAULT 0,
  not_before       timestamptz,
  token            uuid,
  worker           text,
  lease_until      timestamptz,
  batch_id         text COLLATE "C",
  submitted_at     timestamptz,
  polls            integer NOT NULL DEFAULT 0,
  next_poll_at     timestamptz,
  not_known_polls  integer NOT NULL DEFAULT 0,
  poll_alarm       text,
  stale_since      timestamptz,
  result_at        timestamptz,
  result_sha256    text,
  rechecks         integer NOT NULL DEFAULT 0,
  next_recheck_at  timestamptz,
  final_at         timestamptz,
  doubt_closed_at  timestamptz,
  PRIMARY KEY (file_id, batch_no),
  CHECK (first_line <= last_line)
);
COMMENT ON TABLE batch IS 'The rows that one call sends, from the cut of the file to the reconciled result.';
COMMENT ON COLUMN batch.first_line IS
  'Line of its first row in the file. Withheld rows may stand between its rows, rows of another batch never.';
COMMENT ON COLUMN batch.cents IS 'Sum of its rows, in cents.';
COMMENT ON COLUMN batch.body_sha256 IS 'Of the body that is sent, before it is sealed.';
COMMENT ON COLUMN batch.reason IS 'Of its last move.';
COMMENT ON COLUMN batch.attempt IS 'Number of the present call, from 1.';
COMMENT ON COLUMN batch.releases IS
  'How often it came back unsent since the last attempt. The wait before the next try grows with it.';
COMMENT ON COLUMN batch.not_before IS 'Earliest time of the next try; null when it may go now.';
COMMENT ON COLUMN batch.token IS 'Held by the worker that prepares or sends it; null otherwise.';
COMMENT ON COLUMN batch.worker IS 'Process that holds the batch while it prepares or sends it.';
COMMENT ON COLUMN batch.lease_until IS
  'Until then the holder of the token may begin to send. By the clock of the database.';
COMMENT ON COLUMN batch.batch_id IS 'Id that the service returned; null until then.';
COMMENT ON COLUMN batch.polls IS 'How often its result was requested.';
COMMENT ON COLUMN batch.not_known_polls IS
  'How often in a row the service answered with the same text that is no state of the batch, such as Invalid Batch ID.';
COMMENT ON COLUMN batch.poll_alarm IS 'Unknown text of the service that an alarm was raised for.';
COMMENT ON COLUMN batch.stale_since IS 'Since when its result is overdue.';
COMMENT ON COLUMN batch.result_sha256 IS 'Of the result as it came back.';
COMMENT ON COLUMN batch.rechecks IS 'How often the result of the reconciled batch was requested again.';
COMMENT ON COLUMN batch.final_at IS
  'When it was reconciled or cancelled; never before its file was accepted, even if a clock was set back.';
COMMENT ON COLUMN batch.doubt_closed_at IS
  'When a user closed its rows without knowing their outcome; null if none did. Rows that become unknown later are undecided again.';

CREATE TRIGGER legal_batch_moves BEFORE INSERT OR UPDATE OF state ON batch
  FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move('batch');
-- The database itself allows an account one call at a time, and a batch id once.
CREATE UNIQUE INDEX one_call_in_flight ON batch (account) WHERE state IN ('preparing', 'sending');
CREATE UNIQUE INDEX one_batch_per_batch_id ON batch (account, batch_id) WHERE batch_id IS NOT NULL;
-- Only open batches are looked for; the many finished ones stay out of these indexes.
CREATE INDEX open_batch ON batch (account, state) WHERE state NOT IN ('reconciled', 'cancelled');
CREATE INDEX open_batch_of_file ON batch (file_id) WHERE state NOT IN ('reconciled', 'cancelled');
-- Gives the order in which batches of a file are sent. Only this index has it, so batches that were sent are not read.
CREATE INDEX ready_batch ON batch (file_id, first_line, batch_no) WHERE state = 'ready';
CREATE INDEX batch_in_doubt ON batch (account) WHERE state IN ('unknown', 'refused');
CREATE INDEX batch_to_recheck ON batch (next_recheck_at) WHERE next_recheck_at IS NOT NULL;
CREATE INDEX batch_not_ended ON batch (account) WHERE final_at IS NULL;
CREATE INDEX batch_by_end ON batch (account, final_at) WHERE final_at IS NOT NULL;
CREATE INDEX batch_by_batch_id ON batch (batch_id) WHERE batch_id IS NOT NULL;

-- When a batch became final. Not before its file was accepted, even if the clock was set back between the two.
CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state IN ('reconciled', 'cancelled') AND OLD.state <> NEW.state THEN
    NEW.final_at := greatest(NEW.state_at, (SELECT f.accepted_at FROM file f WHERE f.file_id = NEW.file_id));
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER noted_end BEFORE UPDATE OF state ON batch FOR EACH ROW EXECUTE FUNCTION note_end();

-- Three clocks tell when a call was made: those of the database, the host and the service. Each may be wrong or be set
-- while a call is under way, so calls are numbered in their order as well.
CREATE TABLE attempt (
  file_id        text COLLATE "C" NOT NULL,
  batch_no       integer NOT NULL,
  attempt        integer NOT NULL,
  call           uuid NOT NULL UNIQUE,
  call_no        bigint,
  journal        uuid,
  worker         text NOT NULL,
  host           text NOT NULL,
  request_bytes  integer NOT NULL,
  started_at     timestamptz NOT NULL,
  host_at        timestamptz,
  service_at     timestamptz,
  ended_at       timestamptz,
  verdict        text,
  evidence       jsonb,
  resolution     text CHECK (resolution IN ('adopted', 'not_received', 'settled', 'in_doubt')),
  resolved_at    timestamptz,
  resolved_by    text,
  PRIMARY KEY (file_id, batch_no, attempt),
  FOREIGN KEY (file_id, batch_no) REFERENCES batch,
  CHECK ((resolution IS NULL) = (resolved_at IS NULL) AND (resolution IS NULL) = (resolved_by IS NULL))
);
COMMENT ON TABLE attempt IS
  'One row per call, written before its first byte. The same attempt cannot be recorded twice.';
COMMENT ON COLUMN attempt.call IS
  'Id of the call, also in the send journal. Two ledgers may give the same number to different attempts, never the same id.';
COMMENT ON COLUMN attempt.call_no IS
  'Grows from call to call. Null for a call that only the send journal or the service knew.';
COMMENT ON COLUMN attempt.journal IS 'The send journal in which the call stands.';
COMMENT ON COLUMN attempt.worker IS 'Process that made the call.';
COMMENT ON COLUMN attempt.started_at IS 'By the clock of the database, as ended_at.';
COMMENT ON COLUMN attempt.host_at IS 'When it began by the clock of the host that made it.';
COMMENT ON COLUMN attempt.service_at IS
  'When the service answered by its own clock, in whole seconds, or said the time right after a call without an answer.';
COMMENT ON COLUMN attempt.ended_at IS 'Null while the call is under way, and after a crash until it is recovered.';
COMMENT ON COLUMN attempt.verdict IS 'submitted, refused, unknown or not_sent; null while the call is under way.';
COMMENT ON COLUMN attempt.evidence IS 'What the answer said, without numbers of cards or accounts.';
COMMENT ON COLUMN attempt.resolution IS
  'What a user made of an attempt in doubt. adopted: its batch id was found. not_received: the service never took it. settled: decided row by row from reports. in_doubt: closed without an answer.';

CREATE SEQUENCE call_no OWNED BY attempt.call_no;
CREATE INDEX attempt_by_call ON attempt (call_no);
CREATE INDEX attempt_by_journal ON attempt (journal, call_no);

-- A batch is sent again only when every earlier call of it has a verdict, and a user confirmed of every call in doubt
-- that the service never took it.
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

CREATE TABLE sealed_part (
  file_id   text COLLATE "C" NOT NULL,
  batch_no  integer NOT NULL,
  part      text COLLATE "C" NOT NULL CHECK (part ~ '^(body|result|recheck-[1-9][0-9]*)$'),
  bytes     bytea NOT NULL,
  PRIMARY KEY (file_id, batch_no, part),
  FOREIGN KEY (file_id, batch_no) REFERENCES batch ON DELETE CASCADE
);
COMMENT ON TABLE sealed_part IS
  'Encrypted bytes of a batch: the body that is sent, the result that came back, and results that differed when requested again.';
COMMENT ON COLUMN sealed_part.part IS 'body, result, or recheck- and a number.';

-- Encrypted bytes do not compress; do not try.
ALTER TABLE sealed_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- == Functions ==

-- The rows of a batch as one text, see src/rows/sent-text.ts.
CREATE FUNCTION sent_text(p_file_no bigint, p_batch_no integer, p_first_line integer, p_last_line integer)
RETURNS TABLE (sent_rows bigint, sent_text text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY SELECT count(*),
      coalesce(string_agg(r.line || ',' || r.invoice || ',' || r.customer_code || ',' || r.amount_cents || ',' || r.last_four
                          || E'\n', '' ORDER BY r.line), '')
    FROM payment_row r
    WHERE r.file_no = p_file_no AND r.line BETWEEN p_first_line AND p_last_line AND r.batch_no = p_batch_no;
END $$;
