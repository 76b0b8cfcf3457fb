-- What processes work on. A stage takes what is due and nobody has, works on it, and gives it back. This saves double
-- work; the moves of each stage protect the money.

CREATE UNLOGGED TABLE taken (
  stage    text COLLATE "C" NOT NULL,
  subject  text COLLATE "C" NOT NULL,
  worker   text COLLATE "C" NOT NULL,
  until    timestamptz,
  PRIMARY KEY (stage, subject)
);
COMMENT ON TABLE taken IS
  'What a process works on, and what failed a moment ago and is left alone for a while. Not written to the disk at once: after a crash of the database it is empty, and another process may take what a living one still works on.';
COMMENT ON COLUMN taken.stage IS 'Stage of schemas/jobs.ts.';
COMMENT ON COLUMN taken.subject IS 'What is worked on: the id of a file, file/batch, an account, a schedule or the number of a run.';
COMMENT ON COLUMN taken.worker IS 'The process, as in `batch.worker`.';
COMMENT ON COLUMN taken.until IS
  'Until when it is left alone, by the clock of the database: after a failure, when it could not be begun, or when it was due again and again. Null while it is worked on.';

-- == Functions ==
--
-- What is due for a stage is a question about the tables alone: the rings of the queue hold nothing. Each question stands
-- here once, and others read it: the status, alarms, the retention.

-- Corrections of these files whose outputs are due: the result that they correct is written, and they are not. Each OFFSET 0
-- keeps the planner from reading the outputs of all files first.
CREATE FUNCTION unwritten_corrections(p_file_nos bigint[]) RETURNS TABLE (file_no bigint, correction_no integer)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT c.file_no, c.correction_no
    FROM (SELECT DISTINCT x.file_no, x.correction_no FROM row_change x WHERE x.file_no = ANY (p_file_nos) OFFSET 0) c
    CROSS JOIN LATERAL (SELECT f.file_id FROM file f WHERE f.file_no = c.file_no OFFSET 0) owner
    WHERE EXISTS (SELECT FROM output o WHERE o.file_id = owner.file_id AND o.kind = 'result' OFFSET 0)
      AND NOT EXISTS (SELECT FROM output o WHERE o.file_id = owner.file_id AND o.kind = 'correction-txt'
                      AND o.number = c.correction_no OFFSET 0)
    ORDER BY c.file_no, c.correction_no;
END $$;

-- Files of a site that are claimed and not checked, if this process can read them. Those of a former name are held at once.
CREATE FUNCTION files_to_check(p_site text, p_bound text[])
RETURNS TABLE (file_id text, file_no bigint, bytes bigint) LANGUAGE sql STABLE AS $$
  SELECT f.file_id, f.file_no, f.bytes FROM file f
  WHERE f.site = p_site AND f.state = 'claimed' AND (f.account LIKE '%.%' OR is_bound(f.account, p_bound))
$$;

-- Whether a file lacks an output that can be written now: the notice of its verdict, the results once none of its batches is
-- open, or a correction. It asks the tables alone, so what cannot be undone, such as destroying a key, relies on no note.
CREATE FUNCTION lacks_output(p_file_no bigint, p_file_id text, p_state text) RETURNS boolean
LANGUAGE plpgsql STABLE COST 10000 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN (p_state IN ('accepted', 'in_progress')
      AND (NOT EXISTS (SELECT FROM output o WHERE o.file_id = p_file_id AND o.kind = 'ack') OR has_ended(p_file_id)))
    OR (p_state IN ('held', 'rejected', 'cancelled', 'partly_cancelled')
      AND NOT EXISTS (SELECT FROM output o WHERE o.file_id = p_file_id AND o.kind = CASE p_state
        WHEN 'held' THEN 'held' WHEN 'rejected' THEN 'nak' WHEN 'cancelled' THEN 'cancelled' ELSE 'summary-txt' END))
    OR EXISTS (SELECT FROM unwritten_corrections(ARRAY[p_file_no]));
END $$;

-- Files that lack an output: those of a site, or of all sites if it is null. Only files that are noted are looked at, one by
-- one, which the planner is held to by OFFSET 0.
CREATE FUNCTION files_to_deliver(p_site text)
RETURNS TABLE (file_id text, file_no bigint, bytes bigint, state_at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT f.file_id, noted.file_no, f.bytes, f.state_at FROM (SELECT DISTINCT d.file_no FROM delivery d) noted
  CROSS JOIN LATERAL (SELECT * FROM file WHERE file.file_no = noted.file_no OFFSET 0) f
  WHERE (p_site IS NULL OR f.site = p_site) AND lacks_output(noted.file_no, f.file_id, f.state)
$$;

-- Whether the result of a batch may be asked for again. The result file of its payment file must exist, because what is
-- found later goes into a correction of it. The original must exist too, because a correction needs it.
CREATE FUNCTION may_recheck(p_file_id text, p_state text, p_batch_id text) RETURNS boolean LANGUAGE sql STABLE COST 10000 AS $$
  SELECT p_state = 'reconciled' AND p_batch_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM output o WHERE o.file_id = p_file_id AND o.kind = 'result')
    AND NOT EXISTS (SELECT 1 FROM file f WHERE f.file_id = p_file_id AND f.shredded_at IS NOT NULL)
$$;

-- Batches whose result is here and not judged, should be asked for now, or should be asked for again. A question about a
-- result that is here needs no account.
CREATE FUNCTION batches_to_poll(p_at timestamptz, p_longest_repoll_ms bigint, p_longest_recheck_ms bigint)
RETURNS TABLE (file_id text, batch_no integer, account text, rows integer, due_at timestamptz, is_here boolean)
LANGUAGE sql STABLE AS $$
  SELECT b.file_id, b.batch_no, b.account, b.rows, coalesce(b.next_poll_at, b.submitted_at, b.state_at), true FROM batch b
    WHERE b.state = 'result_in'
  UNION ALL
  SELECT b.file_id, b.batch_no, b.account, b.rows, b.next_poll_at, false
    FROM times_that_have_come(p_at, p_longest_repoll_ms) t CROSS JOIN LATERAL (
      SELECT * FROM batch WHERE (batch.state IN ('submitted', 'exception')) IS TRUE
        AND batch.next_poll_at > t.after AND batch.next_poll_at <= t.until OFFSET 0) b
  UNION ALL
  SELECT b.file_id, b.batch_no, b.account, b.rows, b.submitted_at, false FROM batch b
    WHERE (b.state IN ('submitted', 'exception')) IS TRUE AND b.next_poll_at IS NULL AND b.state || '' = 'submitted'
  UNION ALL
  SELECT b.file_id, b.batch_no, b.account, b.rows, b.next_recheck_at, false
    FROM times_that_have_come(p_at, p_longest_recheck_ms) t CROSS JOIN LATERAL (
      SELECT * FROM batch WHERE batch.next_recheck_at > t.after AND batch.next_recheck_at <= t.until OFFSET 0) b
    WHERE may_recheck(b.file_id, b.state, b.batch_id)
$$;

-- Which of these accounts have a batch that may be sent now, in their order. `begin_call` asks all of it again.
CREATE FUNCTION accounts_to_send(p_accounts text[], p_at timestamptz, p_longest_release_ms bigint)
RETURNS TABLE (account text, place bigint) LANGUAGE sql STABLE AS $$
  SELECT waiting.account, waiting.place FROM unnest(p_accounts) WITH ORDINALITY AS waiting (account, place)
  CROSS JOIN LATERAL next_to_send(waiting.account) next
  WHERE (next.not_before IS NULL OR has_come(next.not_before, p_at, p_longest_release_ms))
    AND may_leave(waiting.account, next.file_id, next.body_sha256) AND NOT is_calling(waiting.account)
$$;

-- What is due for a stage, the first `p_most` in the order in which they should be taken, with their weights. `p_asked` holds
-- what the question needs (src/ledger/batch/due-work.ts); `names` are things that the caller knows.
CREATE FUNCTION find_due(p_due text, p_asked jsonb, p_most bigint) RETURNS TABLE (subject text, weight bigint)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  bound text[] := ARRAY(SELECT jsonb_array_elements_text(p_asked -> 'bound'));
  names text[] := ARRAY(SELECT jsonb_array_elements_text(p_asked -> 'names'));
  at timestamptz := p_asked ->> 'at';
BEGIN
  CASE p_due
  WHEN 'intake' THEN
    RETURN QUERY SELECT f.file_id, f.bytes FROM files_to_check(p_asked ->> 'site', bound) f ORDER BY f.file_no LIMIT p_most;
  WHEN 'deliver' THEN
    RETURN QUERY SELECT f.file_id, f.bytes FROM files_to_deliver(p_asked ->> 'site') f ORDER BY f.file_no LIMIT p_most;
  WHEN 'poll' THEN
    RETURN QUERY SELECT b.file_id || '/' || b.batch_no, b.rows::bigint
      FROM batches_to_poll(at, (p_asked ->> 'longestRepollMs')::bigint, (p_asked ->> 'longestRecheckMs')::bigint) b
      WHERE b.is_here OR is_bound(b.account, bound)
      ORDER BY NOT b.is_here, b.due_at, b.file_id, b.batch_no LIMIT p_most;
  WHEN 'submit' THEN
    RETURN QUERY SELECT a.account, 1::bigint FROM accounts_to_send(names, at, (p_asked ->> 'longestReleaseMs')::bigint) a
      WHERE is_bound(a.account, bound) ORDER BY a.place LIMIT p_most;
  WHEN 'names' THEN
    RETURN QUERY SELECT n.subject, 1::bigint FROM unnest(names) WITH ORDINALITY AS n (subject, place) ORDER BY n.place LIMIT p_most;
  END CASE;
END $$;

-- When more of a stage becomes due by itself. `opens` are times that the caller knows.
CREATE FUNCTION next_due(p_due text, p_asked jsonb, p_stage text, p_now timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  at timestamptz := p_asked ->> 'at';
BEGIN
  RETURN least(
    (SELECT min(t.until) FROM taken t WHERE t.stage = p_stage AND t.until > p_now),
    (SELECT min(o::timestamptz) FROM jsonb_array_elements_text(p_asked -> 'opens') o),
    (SELECT min(b.next_poll_at) FROM batch b
       WHERE p_due = 'poll' AND (b.state IN ('submitted', 'exception')) IS TRUE AND b.next_poll_at > at),
    (SELECT min(b.next_recheck_at) FROM batch b WHERE p_due = 'poll' AND b.next_recheck_at > at),
    (SELECT min(b.not_before) FROM batch b WHERE p_due = 'submit' AND b.state = 'ready' AND b.not_before > at));
END $$;

-- Whether a thing that was taken still is. A time far ahead was written by a clock that was wrong.
CREATE FUNCTION still_taken(p_until timestamptz, p_now timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_until IS NULL OR (p_until > p_now AND p_until <= p_now + interval '1 hour')
$$;

-- Gives back what a process has worked on: what it has ended, and what is left alone until a time. What another process took
-- meanwhile stays, because this one gave no sign of life.
CREATE FUNCTION give_back(p_stage text, p_worker text, p_ended text[], p_later text[], p_until timestamptz) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM taken t WHERE t.stage = p_stage AND t.worker = p_worker AND t.subject = ANY (p_ended);
  UPDATE taken t SET until = p_until WHERE t.stage = p_stage AND t.worker = p_worker AND t.subject = ANY (p_later);
END $$;

-- Gives back what a process has worked on, and takes what is due and nobody has: the first thing, and more as long as they
-- are at most `p_things` and weigh at most `p_weight` together. Says whether more is due that nobody has; and when nothing
-- was taken, when more becomes due by itself. Of what is due, as many more are looked at as are taken, so that enough is left.
CREATE FUNCTION take(
  p_stage text, p_due text, p_asked jsonb, p_worker text, p_now timestamptz,
  p_ended text[], p_later text[], p_until timestamptz, p_things bigint, p_weight bigint
) RETURNS TABLE (subjects text[], is_more boolean, next_at timestamptz)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM give_back(p_stage, p_worker, p_ended, p_later, p_until);
  WITH found AS (
    SELECT d.subject, d.weight, d.place
    FROM find_due(p_due, p_asked, p_things + 1 + (SELECT count(*) FROM taken t WHERE t.stage = p_stage))
      WITH ORDINALITY AS d (subject, weight, place)),
  free AS (
    SELECT f.subject, f.place, row_number() OVER (ORDER BY f.place) AS number, sum(f.weight) OVER (ORDER BY f.place) AS total
    FROM found f WHERE NOT EXISTS (
      SELECT FROM taken t WHERE t.stage = p_stage AND t.subject = f.subject AND still_taken(t.until, p_now))),
  due AS (SELECT * FROM free f WHERE f.number = 1 OR (f.number <= p_things AND f.total <= p_weight)),
  got AS (
    INSERT INTO taken AS t (stage, subject, worker) SELECT p_stage, d.subject, p_worker FROM due d ORDER BY d.subject
    ON CONFLICT (stage, subject) DO UPDATE SET worker = excluded.worker, until = NULL WHERE NOT still_taken(t.until, p_now)
    RETURNING t.subject)
  SELECT array_agg(d.subject ORDER BY d.place), (SELECT count(*) FROM free) > (SELECT count(*) FROM due)
    INTO subjects, is_more FROM due d JOIN got g ON g.subject = d.subject;
  IF subjects IS NULL THEN next_at := next_due(p_due, p_asked, p_stage, p_now); END IF;
  RETURN NEXT;
END $$;
