-- May this batch leave? Asked in the commit that declares its call (begin_call in send.sql).

CREATE TABLE account_stop (
  account  text COLLATE "C" NOT NULL,
  reason   text NOT NULL,
  since    timestamptz NOT NULL,
  kind     text COLLATE "C" NOT NULL DEFAULT 'fault' CHECK (kind IN ('pause', 'journal', 'fault')),
  actor    text NOT NULL DEFAULT 'system',
  PRIMARY KEY (account, kind)
);
COMMENT ON TABLE account_stop IS
  'Accounts that send nothing until a user resumes them. An account with an unknown or refused batch sends nothing either, without a row here.';
COMMENT ON COLUMN account_stop.account IS 'An account, or * for all of them.';
COMMENT ON COLUMN account_stop.reason IS 'Why it is stopped, in words for a user.';
COMMENT ON COLUMN account_stop.since IS 'When it was stopped, by the clock of the host.';
COMMENT ON COLUMN account_stop.kind IS
  'pause: a user; journal: a send journal or the service knows more than the ledger; fault: the data or the set-up of the account.';
COMMENT ON COLUMN account_stop.actor IS 'Who stopped it, as audit.actor.';

CREATE TABLE forgotten_send (
  file_id          text COLLATE "C" NOT NULL,
  batch_no         integer NOT NULL,
  attempt          integer NOT NULL,
  call             uuid UNIQUE,
  account          text COLLATE "C" NOT NULL,
  merchant_no      integer NOT NULL REFERENCES merchant,
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
  'Calls that a send journal or the service knows and no batch of the ledger accounts for: an older copy of the ledger was restored. A call is one row by its id, or without one by file, batch and attempt. A batch that only the service has is a row with file_id "not known", batch_no 0, an empty sha256 and its batch_id.';
COMMENT ON COLUMN forgotten_send.file_id IS
  'File that the call names, which this ledger may not have; "not known" for a batch that only the service has.';
COMMENT ON COLUMN forgotten_send.batch_no IS
  'Number of the batch that the call names; 0 for a batch that only the service has.';
COMMENT ON COLUMN forgotten_send.attempt IS 'Number that the call names. In this ledger another call may have it.';
COMMENT ON COLUMN forgotten_send.call IS
  'Id of the call; null when the source does not know it, random for a batch that only the service has.';
COMMENT ON COLUMN forgotten_send.account IS 'Present name of the account that sent the call.';
COMMENT ON COLUMN forgotten_send.sha256 IS
  'SHA-256 of the bytes that were sent; empty when not known. A batch of the same bytes never leaves for this merchant, even after a user has looked.';
COMMENT ON COLUMN forgotten_send.merchant_no IS 'Who was charged, by the mark that the journal keeps.';
COMMENT ON COLUMN forgotten_send.row_set IS
  'Mark of all rows of its file, in any order; null when the journal has none. Intake holds a new file with the same mark, and sees so rows that come again in another order or in batches of other sizes (src/ledger/duplicates/find-duplicate.ts).';
COMMENT ON COLUMN forgotten_send.batch_id IS 'Batch id at the service, if the source knows it; null otherwise.';
COMMENT ON COLUMN forgotten_send.batch_state IS
  'State in which the ledger held the batch when the call was found; null when it had no such batch.';
COMMENT ON COLUMN forgotten_send.at IS
  'When the call was declared, by the clock of its host. For a batch that only the service has, when it was found.';
COMMENT ON COLUMN forgotten_send.since IS 'When it was found, by the clock of the host.';
COMMENT ON COLUMN forgotten_send.call_order IS
  'Rises with each call that is found, and again when its rows become known. Files are compared up to it, see file.compared_to.';
COMMENT ON COLUMN forgotten_send.is_marked IS
  'Whether forgotten_row holds its rows. Otherwise any file of the merchant may hold them.';
COMMENT ON COLUMN forgotten_send.reconciled_at IS
  'When a user compared a report of the service that covers it, by the clock of the host; null before. Its charged rows are known since.';
COMMENT ON COLUMN forgotten_send.acknowledged_at IS 'When a user confirmed to have looked; null before.';
COMMENT ON COLUMN forgotten_send.acknowledged_by IS 'User who confirmed; null before.';

CREATE UNIQUE INDEX forgotten_send_without_call ON forgotten_send (file_id, batch_no, attempt) WHERE call IS NULL;
CREATE INDEX forgotten_send_by_bytes ON forgotten_send (merchant_no, sha256);
CREATE INDEX forgotten_send_by_rows ON forgotten_send (merchant_no, row_set) WHERE row_set IS NOT NULL;
CREATE INDEX forgotten_send_by_order ON forgotten_send (merchant_no, call_order);

-- A row of a forgotten call is known by its keyed fingerprint, as rows of earlier files are. It goes at the end of the
-- retention, because with the key one could try all numbers.
CREATE TABLE forgotten_row (
  merchant_no  integer NOT NULL REFERENCES merchant,
  fingerprint  bigint NOT NULL,
  call         uuid,
  at           timestamptz NOT NULL
);
COMMENT ON TABLE forgotten_row IS
  'Rows of forgotten calls. A file that holds one of them needs approval before it is sent.';
COMMENT ON COLUMN forgotten_row.merchant_no IS 'Who was charged.';
COMMENT ON COLUMN forgotten_row.fingerprint IS
  'As row_fingerprint.fingerprint; rows without an invoice have one too. A kind of payer of 3 means any payer.';
COMMENT ON COLUMN forgotten_row.call IS 'The call that held it; null when only a report of the service shows it.';
COMMENT ON COLUMN forgotten_row.at IS
  'When the call was declared, by the clock of its host; of a report, when it was compared, by the clock of the host.';
CREATE INDEX forgotten_row_by_fingerprint ON forgotten_row (merchant_no, fingerprint);

-- == Functions ==
--
-- Written into statements, these questions would be planned each time, which takes longer than to answer them. A
-- function keeps its plans, so a plan must fit any number of rows: the functions turn off reading whole tables and
-- sorting.

-- Number of the newest forgotten call of a merchant; 0 when there is none.
CREATE FUNCTION newest_forgotten(p_merchant_no integer) RETURNS bigint
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN coalesce((SELECT max(g.call_order) FROM forgotten_send g WHERE g.merchant_no = p_merchant_no), 0);
END $$;

-- Whether a batch may have been sent before the ledger was restored: its bytes are those of a forgotten call, or its
-- file had a batch that this ledger has never cut; the same rows may be in others now.
CREATE FUNCTION was_sent_before(p_account text, p_file_id text, p_body_sha256 text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM forgotten_send g WHERE g.merchant_no = merchant_of(p_account)
    AND (g.sha256 = p_body_sha256 OR (g.file_id = p_file_id AND g.batch_state IS NULL)));
END $$;

-- Whether something came after the file was taken that differs from it, and no person has decided about that yet.
CREATE FUNCTION has_come_late(p_file_id text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM late_arrival l
    WHERE l.file_id = p_file_id AND l.says IS NOT NULL AND l.acknowledged_at IS NULL);
END $$;

-- Whether a file was compared with every forgotten call of its merchant. Otherwise it may hold rows of one.
CREATE FUNCTION is_compared(p_file_id text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN NOT EXISTS (SELECT 1 FROM file f WHERE f.file_id = p_file_id AND f.compared_to < newest_forgotten(f.merchant_no));
END $$;

-- Whether file, merchant and earlier sends let a batch leave: its file is accepted, was compared and nothing came late of
-- it, neither its merchant, by whichever name, nor all accounts are stopped, it was not sent before, and no batch of the
-- merchant is in doubt or refused. The caller checks the rest: admission of the host, whom the account means, and the send
-- window.
CREATE FUNCTION may_leave(p_account text, p_file_id text, p_body_sha256 text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM file f WHERE f.file_id = p_file_id AND f.state IN ('accepted', 'in_progress'))
    AND NOT has_come_late(p_file_id)
    AND NOT EXISTS (SELECT 1 FROM account_stop s WHERE s.account IN (p_account, '*')
      OR s.account IN (SELECT a.account FROM account a WHERE a.merchant_no = merchant_of(p_account)))
    AND NOT was_sent_before(p_account, p_file_id, p_body_sha256)
    AND is_compared(p_file_id)
    AND NOT EXISTS (SELECT 1 FROM batch other WHERE other.merchant_no = merchant_of(p_account) AND other.state IN ('unknown', 'refused'));
END $$;

-- Whether a batch of the merchant of an account is being sent. The index one_call_in_flight keeps it at one.
CREATE FUNCTION is_calling(p_account text) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM batch busy WHERE busy.merchant_no = merchant_of(p_account) AND busy.state = 'sending');
END $$;

-- The batches of an account that are sent next: of its accepted files the one that was claimed first, of that the first
-- batch. Of more than one, the order is a guess of the caller. A file that is still being read, is held or waits for a
-- decision about what came late does not keep the others waiting, nor does a batch of which a row was charged meanwhile. It
-- goes from file to file and stops at the first that has one, so a backlog of many batches costs no more than a few. Files of
-- which everything was sent are passed by one look each, before anything else is asked of them. OFFSET keeps the lists of
-- files apart: for the first of a sorted list the planner would rather walk through all files that there ever were.
CREATE FUNCTION next_to_send(p_account text, p_most integer DEFAULT 1)
RETURNS TABLE (file_id text, batch_no integer, body_sha256 text, not_before timestamptz)
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT b.file_id, b.batch_no, b.body_sha256, b.not_before
    FROM (SELECT w.file_id, w.file_no
          FROM (SELECT f.file_id, f.file_no FROM file f
                WHERE f.account = p_account AND f.state IN ('accepted', 'in_progress')
                  AND (SELECT true FROM batch b WHERE b.file_id = f.file_id AND b.state = 'ready' LIMIT 1)
                ORDER BY f.file_no OFFSET 0) w
          WHERE NOT has_come_late(w.file_id) AND is_compared(w.file_id) ORDER BY w.file_no OFFSET 0) under_way
    CROSS JOIN LATERAL (SELECT * FROM batch ready WHERE ready.file_id = under_way.file_id AND ready.state = 'ready'
      AND ready.paid_since IS NULL
      AND NOT was_sent_before(p_account, ready.file_id, ready.body_sha256)
      ORDER BY ready.first_line, ready.batch_no LIMIT p_most) b
    ORDER BY under_way.file_no LIMIT p_most;
END $$;
