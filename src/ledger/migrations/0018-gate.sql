-- The gate: what is asked before each batch is taken up, before it is sent, and of an account for its next one. As text in
-- these statements it was planned anew each time, which took longer than all that they do. A function keeps its plans, so
-- none of them may rest on how many rows there were when it was made: whole tables are not read, and nothing is sorted.

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
