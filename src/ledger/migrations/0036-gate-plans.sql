-- The gate's plans also rest on no statistics: those of an almost empty table are kept until some time after it has grown.

-- Only this index gives that order, so batches that were sent are not walked through. With (file_id, batch_no) the primary key did
-- as well for a table of a few rows.
DROP INDEX ready_batch;
CREATE INDEX ready_batch ON batch (file_id, first_line, batch_no) WHERE state = 'ready';
-- For may_leave, which went through every open batch of every account.
CREATE INDEX batch_in_doubt ON batch (account) WHERE state IN ('unknown', 'refused');

CREATE OR REPLACE FUNCTION next_to_send(p_account text)
RETURNS TABLE (file_id text, batch_no integer, body_sha256 text, not_before timestamptz)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT b.file_id, b.batch_no, b.body_sha256, b.not_before
    FROM (SELECT f.file_id, f.file_no FROM file f
          WHERE f.account = p_account AND f.state IN ('accepted', 'in_progress') ORDER BY f.file_no OFFSET 0) under_way
    CROSS JOIN LATERAL (SELECT * FROM batch ready WHERE ready.file_id = under_way.file_id AND ready.state = 'ready'
      AND NOT was_sent_before(p_account, ready.file_id, ready.body_sha256)
      ORDER BY ready.first_line, ready.batch_no LIMIT 1) b
    ORDER BY under_way.file_no LIMIT 1;
END $$;

-- A scalar subquery is run for each send. An EXISTS in a CASE may be made into a table of all sends instead.
CREATE OR REPLACE FUNCTION unknown_sends(p_file_ids text[], p_batch_nos integer[], p_attempts integer[], p_calls uuid[])
RETURNS SETOF integer LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT j.n::integer
    FROM unnest(p_file_ids, p_batch_nos, p_attempts, p_calls) WITH ORDINALITY AS j (file_id, batch_no, attempt, call, n)
    WHERE CASE WHEN j.call IS NULL THEN
      coalesce(
        (SELECT true FROM attempt a
         WHERE a.file_id = j.file_id AND a.batch_no = j.batch_no AND a.attempt = j.attempt LIMIT 1),
        (SELECT true FROM forgotten_send g
         WHERE g.file_id = j.file_id AND g.batch_no = j.batch_no AND g.attempt = j.attempt AND g.call IS NULL LIMIT 1))
    ELSE
      coalesce(
        (SELECT true FROM attempt a WHERE a.call = j.call LIMIT 1),
        (SELECT true FROM forgotten_send g WHERE g.call = j.call LIMIT 1))
    END IS NULL;
END $$;
