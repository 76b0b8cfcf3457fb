-- What is asked for each batch: the gate before it is taken up and before it is sent, the next one of its account, its rows,
-- and whether the sends before it are known. As text in statements all this was planned anew each time, which took longer
-- than doing it. A function keeps its plans, so none of them may rest on how many rows there were when it was made: whole
-- tables are not read, and nothing is sorted.

-- Whether a batch may have been sent before the ledger was restored: its bytes are those of a forgotten call, or its file
-- had a batch that this ledger has never cut; the same rows may be in others now.
CREATE FUNCTION was_sent_before(p_account text, p_file_id text, p_body_sha256 text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM forgotten_send g WHERE g.account = p_account
    AND (g.sha256 = p_body_sha256 OR (g.file_id = p_file_id AND g.batch_state IS NULL)));
END $$;

-- Whether a batch may leave at all: its file is wanted, nobody stopped the account or all of them, it was not sent before,
-- and no batch of the account is in doubt or refused.
CREATE FUNCTION may_leave(p_account text, p_file_id text, p_body_sha256 text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM file f WHERE f.file_id = p_file_id AND f.state IN ('accepted', 'in_progress'))
    AND NOT EXISTS (SELECT 1 FROM account_stop s WHERE s.account IN (p_account, '*'))
    AND NOT was_sent_before(p_account, p_file_id, p_body_sha256)
    AND NOT EXISTS (SELECT 1 FROM batch other WHERE other.account = p_account AND other.state IN ('unknown', 'refused'));
END $$;

-- Whether a batch of the account is in the hands of a worker. The index one_call_in_flight is what keeps it at one.
CREATE FUNCTION is_calling(p_account text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM batch busy WHERE busy.account = p_account AND busy.state IN ('preparing', 'sending'));
END $$;

-- The one batch of an account that is next to be sent: of its accepted files the one that was claimed first, of that the
-- first batch. A file that is still being read or held does not keep the others waiting. It goes from file to file and
-- stops at the first that has one, so a backlog of many batches costs no more than a few. The files under way are listed
-- apart (OFFSET keeps it so), because for the first of a sorted list the planner would rather walk through all files that
-- there ever were.
CREATE FUNCTION next_to_send(p_account text)
RETURNS TABLE (file_id text, batch_no integer, body_sha256 text, not_before timestamptz)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT b.file_id, b.batch_no, b.body_sha256, b.not_before
    FROM (SELECT f.file_id, f.file_no FROM file f
          WHERE f.account = p_account AND f.state IN ('accepted', 'in_progress') ORDER BY f.file_no OFFSET 0) under_way
    CROSS JOIN LATERAL (SELECT * FROM batch ready WHERE ready.file_id = under_way.file_id AND ready.state = 'ready'
      AND NOT was_sent_before(p_account, ready.file_id, ready.body_sha256) ORDER BY ready.batch_no LIMIT 1) b
    ORDER BY under_way.file_no LIMIT 1;
END $$;

-- The rows of a batch as one text, see src/rows/sent-text.ts.
CREATE FUNCTION sent_text(p_file_no bigint, p_batch_no integer, p_first_line integer, p_last_line integer)
RETURNS TABLE (sent_rows bigint, sent_text text)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
  RETURN QUERY SELECT count(*),
      coalesce(string_agg(r.line || ',' || r.invoice || ',' || r.customer_code || ',' || r.amount_cents || ',' || r.last_four
                          || E'\n', '' ORDER BY r.line), '')
    FROM payment_row r WHERE r.file_no = p_file_no AND r.line BETWEEN p_first_line AND p_last_line AND r.batch_no = p_batch_no;
END $$;

-- Which of these sends, by their places, the ledger does not know. Each is looked for by itself, since a join of another kind
-- would read all sends that there ever were.
CREATE FUNCTION unknown_sends(p_file_ids text[], p_batch_nos integer[], p_attempts integer[]) RETURNS SETOF integer
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT j.n::integer
    FROM unnest(p_file_ids, p_batch_nos, p_attempts) WITH ORDINALITY AS j (file_id, batch_no, attempt, n)
    WHERE NOT EXISTS (SELECT 1 FROM attempt a
      WHERE a.file_id = j.file_id AND a.batch_no = j.batch_no AND a.attempt = j.attempt)
      AND NOT EXISTS (SELECT 1 FROM forgotten_send g
        WHERE g.file_id = j.file_id AND g.batch_no = j.batch_no AND g.attempt = j.attempt);
END $$;
