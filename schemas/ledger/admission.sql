-- May this host send? A ledger can go back in time: a backup is restored, a replica that lags is promoted, a folder is put
-- back. So nothing leaves unless the ledger was opened for this very run of this very server, after every send journal
-- that may know more has reported.

CREATE TABLE admission (
  one            boolean DEFAULT true PRIMARY KEY CHECK (one),
  ledger         uuid NOT NULL DEFAULT gen_random_uuid(),
  is_open        boolean NOT NULL DEFAULT false,
  epoch          bigint NOT NULL DEFAULT 0,
  closing        uuid NOT NULL DEFAULT gen_random_uuid(),
  closing_epoch  bigint NOT NULL DEFAULT 1,
  senders        text[] NOT NULL DEFAULT '{}',
  since          timestamptz NOT NULL,
  made_in        timestamptz NOT NULL DEFAULT pg_postmaster_start_time(),
  made_database  oid NOT NULL,
  run_started    timestamptz NOT NULL,
  run_database   oid NOT NULL,
  run_table      oid NOT NULL,
  born           xid8 NOT NULL
);
COMMENT ON TABLE admission IS
  'One row: whether anything may be sent, and for which run of which server that holds.';
COMMENT ON COLUMN admission.one IS 'Always true, so that there is one row.';
COMMENT ON COLUMN admission.ledger IS 'Id of the installation, forever. A send journal of another one is refused.';
COMMENT ON COLUMN admission.is_open IS
  'Whether it was opened after its newest closing. It counts only in the run that the row names, see is_of_this_run.';
COMMENT ON COLUMN admission.epoch IS 'Number of the newest opening; 0 before the first.';
COMMENT ON COLUMN admission.closing IS 'Id of the newest closing. Journals report to it while the ledger is closed.';
COMMENT ON COLUMN admission.closing_epoch IS 'Epoch that the newest closing opens with.';
COMMENT ON COLUMN admission.senders IS 'The hosts for which it was opened last.';
COMMENT ON COLUMN admission.since IS 'When it was opened or closed last, by the clock of the database.';
COMMENT ON COLUMN admission.made_in IS
  'Run of the server in which the ledger was made, or in which a user confirmed that it is no older copy.';
COMMENT ON COLUMN admission.made_database IS 'Database in which that was.';
COMMENT ON COLUMN admission.run_started IS
  'Start of the run of the server in which the row was written last. The trigger of_this_run sets this column, run_database, run_table and born at every write.';
COMMENT ON COLUMN admission.run_database IS 'Database in which the row was written last.';
COMMENT ON COLUMN admission.run_table IS
  'The table admission in which the row was written last. A restore makes another.';
COMMENT ON COLUMN admission.born IS
  'Transaction that wrote the row. A copy by dump, reload or logical replication is written by another.';

-- Every write makes the row one of the present run and of its own transaction. On a row of an earlier run, another change
-- would make an old opening, or reports to an old closing, count in this run. So only a new closing may begin there, and
-- an open ledger may only be closed so. A row that is loaded from elsewhere begins closed, with a closing of its own.
CREATE FUNCTION note_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (NEW.closing = OLD.closing OR NEW.is_open) AND (OLD.is_open
    OR OLD.run_started <> pg_postmaster_start_time() OR OLD.run_table <> TG_RELID
    OR OLD.run_database <> (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
  THEN
    RAISE EXCEPTION 'the ledger was opened or closed in another run of its server, or is open; begin a closing first'
      USING ERRCODE = 'PD002';
  END IF;
  IF TG_OP = 'INSERT' THEN
    NEW.is_open := false;
    NEW.closing := gen_random_uuid();
  END IF;
  NEW.run_started := pg_postmaster_start_time();
  NEW.run_database := (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
  NEW.run_table := TG_RELID;
  NEW.born := pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER of_this_run BEFORE INSERT OR UPDATE ON admission FOR EACH ROW EXECUTE FUNCTION note_run();
INSERT INTO admission (since, made_database)
  SELECT clock_timestamp(), d.oid FROM pg_database d WHERE d.datname = current_database();

CREATE TABLE sender (
  journal      uuid PRIMARY KEY,
  name         text NOT NULL,
  state        text NOT NULL DEFAULT 'known' CHECK (state IN ('known', 'lost', 'retired')),
  epoch        bigint NOT NULL DEFAULT 0,
  closing      uuid,
  report       jsonb,
  reported_at  timestamptz,
  actor        text,
  reason       text
);
COMMENT ON TABLE sender IS 'Every send journal that has reported, and the host that it belongs to.';
COMMENT ON COLUMN sender.journal IS 'Id of the send journal, from its first line.';
COMMENT ON COLUMN sender.name IS 'Name of its host.';
COMMENT ON COLUMN sender.state IS
  'known: it may take part in an opening. lost: a user gave it up, which stopped its accounts. retired: another journal has its calls.';
COMMENT ON COLUMN sender.epoch IS
  'Newest opening that it took part in. Of a lost one, the closing that gave it up; of a retired one, the opening in which it was retired.';
COMMENT ON COLUMN sender.closing IS
  'Closing to which it has reported; null when it has not reported since it took part in an opening.';
COMMENT ON COLUMN sender.report IS
  'What it reported to `closing`: the names and hosts that it knows, its openings, and the journals that it took over. Null when it has not reported.';
COMMENT ON COLUMN sender.reported_at IS 'When it reported last, by the clock of the database; null when it never did.';
COMMENT ON COLUMN sender.actor IS
  'User who declared it lost or retired; null for a known one, and when another journal says that it is retired.';
COMMENT ON COLUMN sender.reason IS 'Why, in the words of that user; null without one.';

-- Before a merchant is sent anything in an opening, the service is asked for the batch ids after its newest one.
-- One process does that for all hosts: within an opening the ledger cannot go back.
CREATE TABLE look_ahead (
  merchant_no  integer PRIMARY KEY REFERENCES merchant,
  epoch        bigint NOT NULL DEFAULT 0,
  generation   text NOT NULL DEFAULT '',
  newest       text,
  asked        integer NOT NULL DEFAULT 0,
  asked_by     text,
  since        timestamptz,
  done         integer NOT NULL DEFAULT 0,
  total        integer NOT NULL DEFAULT 0,
  seen_at      timestamptz
);
COMMENT ON TABLE look_ahead IS
  'How far the service was asked for batches of a merchant that the ledger may have forgotten.';
COMMENT ON COLUMN look_ahead.merchant_no IS 'The merchant.';
COMMENT ON COLUMN look_ahead.epoch IS 'Opening of the ledger in which it was asked last, in full.';
COMMENT ON COLUMN look_ahead.generation IS
  'Mark of the data folder of the process that asked. With another one, it is asked for more ids.';
COMMENT ON COLUMN look_ahead.newest IS
  'Newest batch id of the account when the service was asked. Null once the next call has its id and the ids up to it were asked for as well.';
COMMENT ON COLUMN look_ahead.asked IS 'How many ids after it were asked for.';
COMMENT ON COLUMN look_ahead.asked_by IS
  'Process that is asking now. It has asked for `done` of `total` ids. Null when none is.';
COMMENT ON COLUMN look_ahead.since IS
  'When the process that asked last began, by the clock of the host; null before the first.';
COMMENT ON COLUMN look_ahead.done IS 'How many ids this process has asked for.';
COMMENT ON COLUMN look_ahead.total IS 'How many ids it asks for in all.';
COMMENT ON COLUMN look_ahead.seen_at IS
  'Last sign of life of the process that is asking, by the clock of the database. Ten minutes later another may ask.';

-- == Functions ==

-- Whether the row was written in this run of this server, database and table. The start of the server changes with
-- every restart, promotion, recovery and copy of its folder. Every other copy has another database or table, except a
-- reload of rows, which changes the transaction of the row but not `born`.
CREATE FUNCTION is_of_this_run() RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM admission a
    WHERE a.run_started = pg_postmaster_start_time() AND a.run_table = a.tableoid
      AND a.run_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
      AND a.xmin::text = (a.born::text::bigint & 4294967295)::text);
END $$;

-- Whether a process may send with this journal: the ledger is open for this run of the server, the journal took part in
-- its newest opening, and the process was admitted in that opening (p_epoch).
CREATE FUNCTION is_admitted(p_journal uuid, p_epoch bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM admission a JOIN sender s ON s.journal = p_journal AND s.epoch = a.epoch AND s.state = 'known'
    WHERE a.is_open AND a.epoch = p_epoch) AND is_of_this_run();
END $$;

-- Which of these sends, by their places in the list, the ledger does not know. A scalar subquery is run for each send; a
-- join, or EXISTS in a CASE, may be made into a read of all sends that there ever were.
CREATE FUNCTION unknown_sends(p_file_ids text[], p_batch_nos integer[], p_attempts integer[], p_calls uuid[])
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
