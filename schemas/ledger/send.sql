-- A batch and its calls.

CREATE TABLE batch (
  file_id          text COLLATE "C" NOT NULL REFERENCES file,
  batch_no         integer NOT NULL,
  account          text COLLATE "C" NOT NULL,
  merchant_no      integer NOT NULL,
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
  paid_since       timestamptz,
  doubt_closed_at  timestamptz,
  PRIMARY KEY (file_id, batch_no),
  CHECK (first_line <= last_line),
  FOREIGN KEY (account, merchant_no) REFERENCES account (account, merchant_no) DEFERRABLE
);
COMMENT ON TABLE batch IS 'The rows that one call sends, from the cut of the file to the reconciled result.';
COMMENT ON COLUMN batch.file_id IS 'The file that it was cut from.';
COMMENT ON COLUMN batch.batch_no IS 'Number within its file, from 1.';
COMMENT ON COLUMN batch.account IS 'Present name of the account of its file.';
COMMENT ON COLUMN batch.operation IS 'Operation of its file.';
COMMENT ON COLUMN batch.merchant_no IS 'That of its file, set by the trigger bound_as_its_file.';
COMMENT ON COLUMN batch.first_line IS
  'Line of its first row in the file. Withheld rows may stand between its rows, rows of another batch never.';
COMMENT ON COLUMN batch.last_line IS 'Line of its last row in the file.';
COMMENT ON COLUMN batch.rows IS 'How many rows it has.';
COMMENT ON COLUMN batch.cents IS 'Sum of its rows, in cents.';
COMMENT ON COLUMN batch.body_sha256 IS 'SHA-256 of the body that is sent, before it is sealed.';
COMMENT ON COLUMN batch.state IS 'State of a batch in schemas/lifecycle.ts.';
COMMENT ON COLUMN batch.state_at IS 'When it came into its state, by the clock of the host.';
COMMENT ON COLUMN batch.reason IS 'Reason of its last transition; null before the first after its cut.';
COMMENT ON COLUMN batch.attempt IS 'Number of its present or next call, from 1.';
COMMENT ON COLUMN batch.releases IS
  'How often it came back unsent since the last attempt. The wait before the next try grows with it.';
COMMENT ON COLUMN batch.not_before IS
  'Earliest time of the next try, by the clock of the host; null when it may go now.';
COMMENT ON COLUMN batch.token IS 'Id of the call that sends it; null otherwise.';
COMMENT ON COLUMN batch.worker IS 'Process that sends it; null otherwise.';
COMMENT ON COLUMN batch.lease_until IS
  'Until then the call that was declared may begin, by the clock of the database; null while it is not being sent.';
COMMENT ON COLUMN batch.batch_id IS 'Id that the service returned; null until then.';
COMMENT ON COLUMN batch.submitted_at IS
  'When the service gave it a batch id, by the clock of the host. Of a batch that a user resolved, when its last call began. Null before.';
COMMENT ON COLUMN batch.polls IS 'How often its result was requested.';
COMMENT ON COLUMN batch.next_poll_at IS
  'When its result is requested next, by the clock of the host; null while none is expected.';
COMMENT ON COLUMN batch.not_known_polls IS
  'Consecutive requests that the service answered with the same text that is no state of the batch, such as Invalid Batch ID.';
COMMENT ON COLUMN batch.poll_alarm IS
  'Unknown text of the service that an alarm was raised for; null when there was none.';
COMMENT ON COLUMN batch.stale_since IS
  'Since when its result is overdue, by the clock of the host; null while it is not.';
COMMENT ON COLUMN batch.result_at IS
  'When its result arrived, or a user gave its rows their outcomes, by the clock of the host; null before.';
COMMENT ON COLUMN batch.result_sha256 IS 'SHA-256 of the result as it came back; null before.';
COMMENT ON COLUMN batch.rechecks IS 'How often the result of the reconciled batch was requested again.';
COMMENT ON COLUMN batch.next_recheck_at IS
  'When the result of the reconciled batch is requested again, by the clock of the host; null when it is not.';
COMMENT ON COLUMN batch.final_at IS
  'When it was reconciled or cancelled, by the clock of the host; never before its file was accepted. Null before.';
COMMENT ON COLUMN batch.paid_since IS
  'Since when it is known, by the clock of the host, that a row of it may be a payment that was charged meanwhile. It does not leave until a user cancels or releases it. Null otherwise.';
COMMENT ON COLUMN batch.doubt_closed_at IS
  'When a user closed its rows without knowing their outcome, by the clock of the host; null if none did. Rows that become unknown later are undecided again.';

CREATE TRIGGER legal_batch_moves BEFORE INSERT OR UPDATE OF state ON batch
  FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move('batch');
-- A batch is of the account and the merchant of its file.
CREATE FUNCTION bind_as_its_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT f.account, f.merchant_no INTO NEW.account, NEW.merchant_no FROM file f WHERE f.file_id = NEW.file_id;
  RETURN NEW;
END $$;
CREATE TRIGGER bound_as_its_file BEFORE INSERT ON batch FOR EACH ROW EXECUTE FUNCTION bind_as_its_file();
-- The database itself allows a merchant one call at a time, and a batch id once.
CREATE UNIQUE INDEX one_call_in_flight ON batch (merchant_no) WHERE state = 'sending';
CREATE UNIQUE INDEX one_batch_per_batch_id ON batch (merchant_no, batch_id) WHERE batch_id IS NOT NULL;
-- Only open batches are looked for; the many finished ones stay out of these indexes.
CREATE INDEX open_batch ON batch (account, state) WHERE state NOT IN ('reconciled', 'cancelled');
CREATE INDEX open_batch_of_file ON batch (file_id) WHERE state NOT IN ('reconciled', 'cancelled');
-- The order in which the batches of a file are sent. No other index has this order, so the planner uses this one and
-- does not read batches that were sent.
CREATE INDEX ready_batch ON batch (file_id, first_line, batch_no) WHERE state = 'ready';
-- A batch in doubt or refused stops its merchant.
CREATE INDEX batch_that_stops ON batch (merchant_no) WHERE state IN ('unknown', 'refused');
-- IS TRUE: the planner then sees that this index serves a question that says the same, and that no other index on open
-- batches does, whatever it knows of the sizes. Such an index would be read whole.
CREATE INDEX batch_to_poll ON batch (next_poll_at) WHERE (state IN ('submitted', 'exception')) IS TRUE;
CREATE INDEX batch_to_judge ON batch (state_at) WHERE state = 'result_in';
CREATE INDEX batch_to_recheck ON batch (next_recheck_at) WHERE next_recheck_at IS NOT NULL;
CREATE INDEX batch_not_ended ON batch (account) WHERE final_at IS NULL;
CREATE INDEX batch_by_end ON batch (account, final_at) WHERE final_at IS NOT NULL;
CREATE INDEX batch_paid ON batch (account) WHERE paid_since IS NOT NULL AND state NOT IN ('reconciled', 'cancelled');
CREATE INDEX batch_by_batch_id ON batch (batch_id) WHERE batch_id IS NOT NULL;

-- Notes when a batch became final: not before its file was accepted, even if the clock was set back between the two.
CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state IN ('reconciled', 'cancelled') AND OLD.state <> NEW.state THEN
    NEW.final_at := greatest(NEW.state_at, (SELECT f.accepted_at FROM file f WHERE f.file_id = NEW.file_id));
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER noted_end BEFORE UPDATE OF state ON batch FOR EACH ROW EXECUTE FUNCTION note_end();

-- What is sent is fixed when the file is cut.
CREATE TRIGGER batches_written_once
  BEFORE UPDATE OF file_id, batch_no, merchant_no, operation, first_line, last_line, rows, cents, body_sha256 OR TRUNCATE ON batch
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- No batch of a decided file is deleted: nothing would send its rows. Intake deletes those of a file that it rejects.
CREATE FUNCTION refuse_batch_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM (SELECT DISTINCT file_id FROM gone) g JOIN file f USING (file_id) WHERE f.state <> 'claimed'
  ) THEN
    RAISE EXCEPTION '% is written once', TG_TABLE_NAME USING ERRCODE = 'PD002';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER only_undecided_deleted AFTER DELETE ON batch REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_batch_loss();

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
  verdict        text CHECK (verdict IN ('submitted', 'refused', 'unknown', 'not_sent')),
  evidence       jsonb,
  resolution     text CHECK (resolution IN ('adopted', 'not_received', 'settled', 'in_doubt')),
  resolved_at    timestamptz,
  resolved_by    text,
  PRIMARY KEY (file_id, batch_no, attempt),
  FOREIGN KEY (file_id, batch_no) REFERENCES batch,
  CHECK ((verdict IS NULL) = (ended_at IS NULL)),
  CHECK (resolution IS NULL OR verdict = 'unknown'),
  CHECK ((resolution IS NULL) = (resolved_at IS NULL) AND (resolution IS NULL) = (resolved_by IS NULL))
);
COMMENT ON TABLE attempt IS
  'One row per call, written before its first byte. The same attempt cannot be recorded twice.';
COMMENT ON COLUMN attempt.file_id IS 'File of the batch.';
COMMENT ON COLUMN attempt.batch_no IS 'Number of the batch in its file.';
COMMENT ON COLUMN attempt.attempt IS 'Number of the call within its batch, from 1.';
COMMENT ON COLUMN attempt.call IS
  'Id of the call, also in the send journal. Two ledgers may give the same number to different attempts, never the same id.';
COMMENT ON COLUMN attempt.call_no IS
  'Grows from call to call. Null for a call that only the send journal or the service knew.';
COMMENT ON COLUMN attempt.journal IS 'Id of the send journal that has the call; null for a call that was found later.';
COMMENT ON COLUMN attempt.worker IS 'Process that made the call.';
COMMENT ON COLUMN attempt.host IS 'Host of the service that was called.';
COMMENT ON COLUMN attempt.request_bytes IS
  'Size of the request in bytes; 0 for a call that only the send journal or the service knew.';
COMMENT ON COLUMN attempt.started_at IS
  'When it was recorded, by the clock of the database. Of a call that only the send journal or the service knew, when it was declared there.';
COMMENT ON COLUMN attempt.host_at IS
  'When it began by the clock of the host that made it; null for a call that only the send journal or the service knew.';
COMMENT ON COLUMN attempt.service_at IS
  'When the service answered, by its own clock and in whole seconds. After a call without an answer, the time that it gave when asked right after. Null when it gave none.';
COMMENT ON COLUMN attempt.ended_at IS
  'When the verdict was recorded, by the clock of the database. Null while the call is under way, and after a crash until the sweep finds it.';
COMMENT ON COLUMN attempt.verdict IS
  'submitted, refused, unknown or not_sent. Null while the call is under way, and after a crash until the sweep makes it unknown. A late answer does not change it and is in the audit trail; submitted becomes unknown when the batch id proves to be of another batch.';
COMMENT ON COLUMN attempt.evidence IS
  'What the answer said, without numbers of cards or accounts; null before the end.';
COMMENT ON COLUMN attempt.resolution IS
  'What a user decided about an attempt in doubt. adopted: its batch id was found; null again if that proves wrong. not_received: the service never took it. settled: decided row by row from reports. in_doubt: closed without an answer. Null when it was never in doubt or is not decided.';
COMMENT ON COLUMN attempt.resolved_at IS 'When the user decided, by the clock of the host; null without a resolution.';
COMMENT ON COLUMN attempt.resolved_by IS 'User who decided; null without a resolution.';

CREATE SEQUENCE call_no OWNED BY attempt.call_no;
CREATE INDEX attempt_by_call_no ON attempt (call_no);
CREATE INDEX attempt_by_journal ON attempt (journal, call_no);

-- A batch is sent again only when every earlier call of it was refused, left nothing, or was in doubt and a user confirmed
-- that the service never took it. Move `disown` puts the call of a batch id that proved wrong back in doubt first.
CREATE FUNCTION refuse_unresolved_send() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM attempt a WHERE a.file_id = NEW.file_id AND a.batch_no = NEW.batch_no AND a.attempt <> NEW.attempt
      AND (a.verdict IN ('refused', 'not_sent') OR (a.verdict = 'unknown' AND a.resolution = 'not_received')) IS NOT TRUE
  ) THEN
    RAISE EXCEPTION 'an earlier attempt of batch % of file % has no resolution', NEW.batch_no, NEW.file_id
      USING ERRCODE = 'PD003';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER resolved_before_sent BEFORE UPDATE OF state ON batch
  FOR EACH ROW WHEN (NEW.state = 'sending' AND OLD.state <> 'sending') EXECUTE FUNCTION refuse_unresolved_send();

-- What is known of a call is added to and never taken back. Two things may be reopened, by move `disown`: that the service
-- took the call, and that its batch id was found. Both put the call in doubt again.
CREATE FUNCTION refuse_other_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.verdict IS DISTINCT FROM OLD.verdict AND (OLD.verdict, coalesce(NEW.verdict, '')) <> ('submitted', 'unknown'))
    OR (NEW.resolution IS DISTINCT FROM OLD.resolution AND OLD.resolution IS NOT NULL
        AND NOT (OLD.resolution = 'adopted' AND NEW.resolution IS NULL))
    OR OLD.ended_at IS DISTINCT FROM NEW.ended_at
    OR (OLD.service_at IS NOT NULL AND OLD.service_at IS DISTINCT FROM NEW.service_at)
  THEN
    RAISE EXCEPTION 'the verdict on attempt % of batch % of file % is written once', NEW.attempt, NEW.batch_no, NEW.file_id
      USING ERRCODE = 'PD002';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER verdict_written_once BEFORE UPDATE ON attempt
  FOR EACH ROW WHEN (OLD.verdict IS NOT NULL) EXECUTE FUNCTION refuse_other_verdict();
CREATE TRIGGER calls_written_once
  BEFORE UPDATE OF file_id, batch_no, attempt, call, call_no, journal, worker, host, request_bytes, started_at, host_at
    OR DELETE OR TRUNCATE ON attempt
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Set in the transaction that learns of the charge (double-charges.sql). Both update the row of the batch, so whichever is
-- second sees the first, whatever it had read before.
CREATE FUNCTION refuse_second_charge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a row of batch % of file % may have been charged already', NEW.batch_no, NEW.file_id
    USING ERRCODE = 'PD003';
END $$;
CREATE TRIGGER not_charged_meanwhile BEFORE UPDATE OF state ON batch
  FOR EACH ROW WHEN (NEW.state = 'sending' AND OLD.state <> NEW.state AND NEW.paid_since IS NOT NULL)
  EXECUTE FUNCTION refuse_second_charge();

CREATE TABLE sealed_part (
  file_id   text COLLATE "C" NOT NULL,
  batch_no  integer NOT NULL,
  part      text COLLATE "C" NOT NULL CHECK (part ~ '^(body|result|recheck-[1-9][0-9]*)$'),
  bytes     bytea NOT NULL,
  PRIMARY KEY (file_id, batch_no, part),
  FOREIGN KEY (file_id, batch_no) REFERENCES batch ON DELETE CASCADE
);
COMMENT ON TABLE sealed_part IS
  'Encrypted bytes of a batch, with whole card and account numbers in them: the body that is sent, the result that came back, and results that differed when requested again. Deleted when the key of the file is destroyed or its rows are archived.';
COMMENT ON COLUMN sealed_part.file_id IS 'File of the batch.';
COMMENT ON COLUMN sealed_part.batch_no IS 'Number of the batch in its file.';
COMMENT ON COLUMN sealed_part.part IS 'body, result, or recheck- and a number.';
COMMENT ON COLUMN sealed_part.bytes IS 'The bytes, sealed with the data key of the file.';

-- Encrypted bytes do not compress; do not try.
ALTER TABLE sealed_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
-- The body is what was or will be sent. A result may be fetched again.
CREATE TRIGGER body_written_once BEFORE UPDATE ON sealed_part
  FOR EACH ROW WHEN (OLD.part = 'body' OR NEW.part = 'body') EXECUTE FUNCTION refuse_change();

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

-- Ends a call and declares the next one of its account, or does one of both, in one commit. The next is declared only
-- after an end by which the service took the batch, and only if this commit writes that end. An end waits for nothing that
-- the next call needs: not for a stop that is being committed (pause-account.ts), nor for another transaction that has locked the next batch
-- or its file. That call then stays undeclared. So no deadlock arises, either. Returns the names of the links that were made, in their order, and `recorded` for an end that an
-- earlier try has written.
-- p_end: as in end_call. p_next: as in begin_call. Either may be null. p_links: the links that they may make, by name.
CREATE FUNCTION commit_send(p_at timestamptz, p_database_now timestamptz, p_end jsonb, p_next jsonb, p_links jsonb)
RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  made text[] := '{}';
  links jsonb;
  is_locked boolean := false;
BEGIN
  IF p_next IS NOT NULL AND p_end IS NULL THEN
    PERFORM pg_advisory_xact_lock_shared(7003, 0);
    is_locked := true;
  ELSIF p_next IS NOT NULL THEN
    is_locked := pg_try_advisory_xact_lock_shared(7003, 0);
  END IF;
  IF p_end IS NOT NULL THEN
    made := end_call(p_at, p_database_now, p_end);
    is_locked := is_locked AND can_lock_call(p_next->>'fileId', (p_next->>'batchNo')::integer);
  END IF;
  IF is_locked AND (p_end IS NULL OR (p_end->>'verdict' = 'submitted' AND 'end' = ANY (made))) THEN
    made := made || begin_call(p_at, p_database_now, p_next);
  END IF;
  SELECT jsonb_agg(p_links->m.name ORDER BY m.place) INTO links
    FROM unnest(made) WITH ORDINALITY AS m (name, place) WHERE p_links ? m.name;
  IF links IS NOT NULL THEN
    PERFORM append_audit(p_at, p_database_now, links);
  END IF;
  RETURN made;
END $$;

-- Locks a batch and its file until the transaction is over, as far as the declaration of a call changes them. Returns false
-- instead of waiting for another transaction.
CREATE FUNCTION can_lock_call(p_file_id text, p_batch_no integer) RETURNS boolean
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM batch b WHERE b.file_id = p_file_id AND b.batch_no = p_batch_no FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  IF NOT EXISTS (SELECT 1 FROM file f WHERE f.file_id = p_file_id AND f.state = 'accepted') THEN RETURN true; END IF;
  PERFORM FROM file f WHERE f.file_id = p_file_id FOR NO KEY UPDATE SKIP LOCKED;
  RETURN FOUND;
END $$;

-- Records how a call ended (moves `submit`, `refuse`, `doubt` and `unsent`), if its batch is still being sent by it.
-- Otherwise it changes nothing but the wait of a batch whose call was never declared:
-- `recorded`: an earlier try has written this end · `put-off`: the call was never declared, and its batch waits longer
-- `late`: another verdict was written meanwhile
-- p_end: {fileId, batchNo, call, attempt, releases, verdict, state, reason, evidence, serviceAt}, with the id of the call,
-- the releases of the batch as it was read, and the state that it comes into. `submitted` has batchId and nextPollAt,
-- `not_sent` has notBefore, and isTry: whether a batch whose call was never declared waits longer.
CREATE FUNCTION end_call(p_at timestamptz, p_database_now timestamptz, p_end jsonb) RETURNS text[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  e record;
BEGIN
  SELECT * INTO STRICT e FROM jsonb_to_record(p_end) AS r (
    "fileId" text, "batchNo" integer, call uuid, attempt integer, releases integer, verdict text, state text, reason text,
    evidence jsonb, "serviceAt" timestamptz, "batchId" text, "nextPollAt" timestamptz, "notBefore" timestamptz,
    "isTry" boolean);
  -- A caller that gave up on the commit that was to declare its call does not know what that came to. The commit may still be
  -- under way, so it is waited for.
  IF e.verdict = 'not_sent' THEN
    PERFORM FROM batch b WHERE b.file_id = e."fileId" AND b.batch_no = e."batchNo" FOR NO KEY UPDATE;
  END IF;
  UPDATE batch b SET state = e.state, state_at = p_at, reason = e.reason, token = NULL, worker = NULL, lease_until = NULL,
    batch_id = CASE e.verdict WHEN 'submitted' THEN e."batchId" ELSE b.batch_id END,
    submitted_at = CASE e.verdict WHEN 'submitted' THEN p_at ELSE b.submitted_at END,
    next_poll_at = CASE e.verdict WHEN 'submitted' THEN e."nextPollAt" ELSE b.next_poll_at END,
    attempt = CASE e.verdict WHEN 'not_sent' THEN e.attempt + 1 ELSE b.attempt END,
    releases = CASE e.verdict WHEN 'submitted' THEN 0 WHEN 'not_sent' THEN e.releases + 1 ELSE b.releases END,
    not_before = CASE e.verdict WHEN 'not_sent' THEN e."notBefore" ELSE b.not_before END
    WHERE b.file_id = e."fileId" AND b.batch_no = e."batchNo" AND b.state = 'sending' AND b.token = e.call;
  IF FOUND THEN
    UPDATE attempt a SET ended_at = p_database_now, verdict = e.verdict, evidence = e.evidence, service_at = e."serviceAt"
      WHERE a.file_id = e."fileId" AND a.batch_no = e."batchNo" AND a.attempt = e.attempt;
    RETURN ARRAY['end'];
  END IF;
  -- An `unknown` may be of another process, and what this one knows is kept beside it.
  IF e.verdict <> 'unknown' AND EXISTS (
    SELECT 1 FROM attempt a JOIN batch b USING (file_id, batch_no) WHERE a.call = e.call AND a.verdict = e.verdict
      AND (e.verdict <> 'submitted' OR b.batch_id = e."batchId"))
  THEN
    RETURN ARRAY['recorded'];
  END IF;
  IF e.verdict = 'not_sent' AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.call = e.call) THEN
    UPDATE batch b SET reason = e.reason, releases = e.releases + 1, not_before = e."notBefore"
      WHERE e."isTry" AND b.file_id = e."fileId" AND b.batch_no = e."batchNo" AND b.state = 'ready'
        AND b.attempt = e.attempt AND b.releases = e.releases;
    RETURN CASE WHEN FOUND THEN ARRAY['put-off'] ELSE '{}'::text[] END;
  END IF;
  RETURN ARRAY['late'];
END $$;

-- Records that request bytes of a batch may leave from now on (move `send`): the gate. The ledger must be open for this
-- host and mean by the account what this process means, the batch be the one that comes next and have waited, and no
-- other call of its merchant be in flight. All of it is asked here, so nothing that was learned meanwhile is missed. A
-- wrong guess of the caller sends nothing. The caller holds the lock of sends. With the first batch its file is under way (move `begin`).
-- p_next: {fileId, batchNo, attempt, sha256, call, worker, leaseMs, journal, epoch, bound, host, requestBytes,
-- longestWaitMs, reason}, with the hash of the bytes that the caller has, whom its accounts mean to it, and the longest
-- wait of a batch.
CREATE FUNCTION begin_call(p_at timestamptz, p_database_now timestamptz, p_next jsonb) RETURNS text[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  n record;
BEGIN
  SELECT * INTO STRICT n FROM jsonb_to_record(p_next) AS r (
    "fileId" text, "batchNo" integer, attempt integer, sha256 text, call uuid, worker text, "leaseMs" integer,
    journal uuid, epoch bigint, bound text[], host text, "requestBytes" integer, "longestWaitMs" integer, reason text);
  -- `paid_since` is compared on the row that is updated: after a wait for the transaction that set it, PostgreSQL looks at
  -- that row again, and at nothing else.
  UPDATE batch b SET state = 'sending', state_at = p_at, reason = n.reason, token = n.call, worker = n.worker,
    lease_until = clock_timestamp() + n."leaseMs" * interval '1 millisecond'
    WHERE b.file_id = n."fileId" AND b.batch_no = n."batchNo" AND b.state = 'ready' AND b.attempt = n.attempt
      AND b.body_sha256 = n.sha256
      AND is_admitted(n.journal, n.epoch)
      AND is_bound(b.account, n.bound)
      AND b.paid_since IS NULL
      AND may_leave(b.account, b.file_id, b.body_sha256)
      AND NOT is_calling(b.account)
      AND (b.not_before IS NULL OR has_come(b.not_before, p_at, n."longestWaitMs"))
      AND (b.file_id, b.batch_no) = (SELECT next.file_id, next.batch_no FROM next_to_send(b.account) next);
  IF NOT FOUND THEN
    RETURN '{}';
  END IF;
  INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, host_at, call_no, call, journal)
    VALUES (n."fileId", n."batchNo", n.attempt, n.worker, n.host, n."requestBytes", p_database_now, p_at,
            nextval('call_no'), n.call, n.journal);
  UPDATE file f SET state = 'in_progress', state_at = p_at, known_at = p_database_now
    WHERE f.file_id = n."fileId" AND f.state = 'accepted';
  RETURN CASE WHEN FOUND THEN ARRAY['send', 'begin'] ELSE ARRAY['send'] END;
END $$;
