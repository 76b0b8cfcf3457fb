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
COMMENT ON COLUMN admission.ledger IS 'Id of the installation, forever. A send journal of another one is refused.';
COMMENT ON COLUMN admission.epoch IS 'Number of the newest opening.';
COMMENT ON COLUMN admission.closing IS
  'What journals report to while the ledger is closed. closing_epoch is the epoch that it will open with.';
COMMENT ON COLUMN admission.senders IS 'The hosts for which it was opened last.';
COMMENT ON COLUMN admission.made_in IS
  'Run of the server in which the ledger was made, or in which a user confirmed that it is no older copy.';
COMMENT ON COLUMN admission.run_started IS 'Set by the trigger of_this_run, as are run_database, run_table and born.';
COMMENT ON COLUMN admission.born IS
  'Transaction that wrote the row. A copy by dump, reload or logical replication is written by another.';

-- The row belongs to the present run, and to the transaction that writes it.
CREATE FUNCTION note_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
COMMENT ON TABLE sender IS 'Every send journal that has reported, and the host it belongs to.';
COMMENT ON COLUMN sender.epoch IS
  'Newest opening that it took part in; of a retired one, the opening in which it was retired.';
COMMENT ON COLUMN sender.report IS 'What it reported to this closing.';

-- Before an account sends for the first time in an opening, the service is asked for the batch ids after its newest one.
-- One process does that for all hosts: within an opening the ledger cannot go back.
CREATE TABLE look_ahead (
  account     text COLLATE "C" PRIMARY KEY,
  epoch       bigint NOT NULL DEFAULT 0,
  generation  text NOT NULL DEFAULT '',
  newest      text,
  asked       integer NOT NULL DEFAULT 0,
  asked_by    text,
  since       timestamptz,
  done        integer NOT NULL DEFAULT 0,
  total       integer NOT NULL DEFAULT 0,
  seen_at     timestamptz
);
COMMENT ON TABLE look_ahead IS
  'How far the service was asked for batches of an account that the ledger may have forgotten.';
COMMENT ON COLUMN look_ahead.epoch IS 'Opening of the ledger in which it was asked last, in full.';
COMMENT ON COLUMN look_ahead.generation IS
  'Mark of the data folder of the process that asked. With another one, it is asked for more ids.';
COMMENT ON COLUMN look_ahead.newest IS
  'Newest id at that time; null once the ids up to that of the next call were asked for as well.';
COMMENT ON COLUMN look_ahead.asked IS 'How many ids after it were asked for.';
COMMENT ON COLUMN look_ahead.asked_by IS
  'Process that is asking now. It has asked for `done` of `total` ids. Null when none is.';
COMMENT ON COLUMN look_ahead.seen_at IS
  'Last sign of life of the process that is asking, by the clock of the database. Ten minutes later another may ask.';

-- == Functions ==

-- Whether the row is that of this run of this server. The start of the server changes with every restart, promotion,
-- recovery and copy of its folder; the database and the table with every other copy but a reload of rows, which `born`
-- tells.
CREATE FUNCTION is_of_this_run() RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM admission a
    WHERE a.run_started = pg_postmaster_start_time() AND a.run_table = a.tableoid
      AND a.run_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
      AND a.xmin::text = (a.born::text::bigint & 4294967295)::text);
END $$;

-- Whether a journal may send: the ledger is open, the journal took part in its opening, and no newer one stands in it.
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
