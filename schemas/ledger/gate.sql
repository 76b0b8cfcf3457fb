-- May this batch leave? Asked before a batch is taken up, and again before it is sent.

CREATE TABLE account_stop (
  account  text COLLATE "C" NOT NULL,
  reason   text NOT NULL,
  since    timestamptz NOT NULL,
  kind     text COLLATE "C" NOT NULL DEFAULT 'fault' CHECK (kind IN ('pause', 'journal', 'fault')),
  actor    text NOT NULL DEFAULT 'system',
  PRIMARY KEY (account, kind)
);
COMMENT ON TABLE account_stop IS
  'Accounts that submit nothing until a person has looked. An account with an unknown or refused batch is stopped as well.';
COMMENT ON COLUMN account_stop.account IS 'An account, or * for all of them.';
COMMENT ON COLUMN account_stop.kind IS
  'pause: a user; journal: a send journal or the service knows more than the ledger; fault: the data or the set-up of the account.';

CREATE TABLE forgotten_send (
  file_id          text COLLATE "C" NOT NULL,
  batch_no         integer NOT NULL,
  attempt          integer NOT NULL,
  call             uuid UNIQUE,
  account          text COLLATE "C" NOT NULL,
  sha256           text COLLATE "C" NOT NULL,
  row_set          text COLLATE "C",
  batch_id         text,
  batch_state      text,
  at               timestamptz NOT NULL,
  since            timestamptz NOT NULL,
  acknowledged_at  timestamptz,
  acknowledged_by  text,
  call_order       bigint GENERATED ALWAYS AS IDENTITY,
  is_marked        boolean NOT NULL DEFAULT false,
  reconciled_at    timestamptz
);
COMMENT ON TABLE forgotten_send IS
  'Calls that a send journal or the service knows and no batch of the ledger accounts for: an older copy of the ledger was restored.';
COMMENT ON COLUMN forgotten_send.call IS 'Id of the call; null when the source does not know it.';
COMMENT ON COLUMN forgotten_send.sha256 IS
  'Hash of the bytes that were sent. A batch of the same bytes never leaves on this account, even after a user has looked.';
COMMENT ON COLUMN forgotten_send.row_set IS
  'Mark of all rows of its file, in any order; null when the journal has none. Finds rows that come again in another order or in batches of other sizes.';
COMMENT ON COLUMN forgotten_send.batch_id IS 'Id under which the service has it, where nothing else is known of it.';
COMMENT ON COLUMN forgotten_send.batch_state IS
  'State in which the ledger held the batch when the call was found; null when it had no such batch.';
COMMENT ON COLUMN forgotten_send.at IS 'When the call was declared, by the journal.';
COMMENT ON COLUMN forgotten_send.since IS 'When it was found.';
COMMENT ON COLUMN forgotten_send.call_order IS
  'Rises with each call that is found, and again when its rows become known. Files are compared up to it, see file.compared_to.';
COMMENT ON COLUMN forgotten_send.is_marked IS
  'Whether forgotten_row holds its rows. Otherwise any file of the account may hold them.';
COMMENT ON COLUMN forgotten_send.reconciled_at IS
  'When a user compared a report of the service that covers it; null before. Its charged rows are known since.';
COMMENT ON COLUMN forgotten_send.acknowledged_at IS 'When a user confirmed to have looked; null before.';

CREATE UNIQUE INDEX forgotten_send_without_call ON forgotten_send (file_id, batch_no, attempt) WHERE call IS NULL;
CREATE INDEX forgotten_send_by_bytes ON forgotten_send (account, sha256);
CREATE INDEX forgotten_send_by_rows ON forgotten_send (account, row_set) WHERE row_set IS NOT NULL;
CREATE INDEX forgotten_send_by_order ON forgotten_send (account, call_order);

-- A row of a forgotten call is known by its keyed fingerprint, as rows of earlier files are. It goes at the end of the
-- retention, because with the key one could try all numbers.
CREATE TABLE forgotten_row (
  account      text COLLATE "C" NOT NULL,
  fingerprint  bigint NOT NULL,
  call         uuid,
  at           timestamptz NOT NULL
);
COMMENT ON TABLE forgotten_row IS
  'Rows of forgotten calls. A file that holds one of them needs approval before it is sent.';
COMMENT ON COLUMN forgotten_row.fingerprint IS
  'As row_fingerprint.fingerprint; rows without an invoice have one too. A kind of payer of 3 means any payer.';
COMMENT ON COLUMN forgotten_row.call IS 'The call that held it; null when only a report of the service shows it.';
COMMENT ON COLUMN forgotten_row.at IS 'When the call was declared; of a report, when it was compared.';
CREATE INDEX forgotten_row_by_fingerprint ON forgotten_row (account, fingerprint);

-- == Functions ==
--
-- As text in statements these questions were planned each time, which took longer than answering them. A function keeps
-- its plans, so no plan may rest on how many rows there were when it was made: whole tables are not read, and nothing is
-- sorted.

-- Number of the newest forgotten call of an account; 0 when there is none.
CREATE FUNCTION newest_forgotten(p_account text) RETURNS bigint
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN coalesce((SELECT max(g.call_order) FROM forgotten_send g WHERE g.account = p_account), 0);
END $$;

-- Whether a batch may have been sent before the ledger was restored: its bytes are those of a forgotten call, or its
-- file had a batch that this ledger has never cut; the same rows may be in others now.
CREATE FUNCTION was_sent_before(p_account text, p_file_id text, p_body_sha256 text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM forgotten_send g WHERE g.account = p_account
    AND (g.sha256 = p_body_sha256 OR (g.file_id = p_file_id AND g.batch_state IS NULL)));
END $$;

-- Whether a file was compared with every forgotten call of its account. Otherwise it may hold rows of one.
CREATE FUNCTION is_compared(p_account text, p_file_id text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN NOT EXISTS (SELECT 1 FROM file f WHERE f.file_id = p_file_id AND f.compared_to < newest_forgotten(p_account));
END $$;

-- Whether a batch may leave at all: its file is wanted and was compared, nobody stopped the account or all of them, it
-- was not sent before, and no batch of the account is in doubt or refused.
CREATE FUNCTION may_leave(p_account text, p_file_id text, p_body_sha256 text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM file f WHERE f.file_id = p_file_id AND f.state IN ('accepted', 'in_progress'))
    AND NOT EXISTS (SELECT 1 FROM account_stop s WHERE s.account IN (p_account, '*'))
    AND NOT was_sent_before(p_account, p_file_id, p_body_sha256)
    AND is_compared(p_account, p_file_id)
    AND NOT EXISTS (SELECT 1 FROM batch other WHERE other.account = p_account AND other.state IN ('unknown', 'refused'));
END $$;

-- Whether a worker holds a batch of the account. The index one_call_in_flight keeps it at one.
CREATE FUNCTION is_calling(p_account text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM batch busy WHERE busy.account = p_account AND busy.state IN ('preparing', 'sending'));
END $$;

-- The batch of an account that is sent next: of its accepted files the one that was claimed first, of that the first
-- batch. A file that is still being read or held does not keep the others waiting. It goes from file to file and stops
-- at the first that has one, so a backlog of many batches costs no more than a few. OFFSET keeps the list of files
-- apart: for the first of a sorted list the planner would rather walk through all files that there ever were.
CREATE FUNCTION next_to_send(p_account text)
RETURNS TABLE (file_id text, batch_no integer, body_sha256 text, not_before timestamptz)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT b.file_id, b.batch_no, b.body_sha256, b.not_before
    FROM (SELECT f.file_id, f.file_no FROM file f
          WHERE f.account = p_account AND f.state IN ('accepted', 'in_progress') AND is_compared(p_account, f.file_id)
          ORDER BY f.file_no OFFSET 0) under_way
    CROSS JOIN LATERAL (SELECT * FROM batch ready WHERE ready.file_id = under_way.file_id AND ready.state = 'ready'
      AND NOT was_sent_before(p_account, ready.file_id, ready.body_sha256)
      ORDER BY ready.first_line, ready.batch_no LIMIT 1) b
    ORDER BY under_way.file_no LIMIT 1;
END $$;
