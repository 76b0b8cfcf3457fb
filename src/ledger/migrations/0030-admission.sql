-- A ledger can go back in time: a backup is restored, a replica that lags is promoted, a folder is put back. So it lets nothing
-- leave unless it was opened for this very run of this very server, after every send journal that may know more has reported.

CREATE TABLE admission (
  one             boolean PRIMARY KEY DEFAULT true CHECK (one),
  ledger          uuid NOT NULL DEFAULT gen_random_uuid(),
  is_open         boolean NOT NULL DEFAULT false,
  epoch           bigint NOT NULL DEFAULT 0,
  closing         uuid NOT NULL DEFAULT gen_random_uuid(),
  closing_epoch   bigint NOT NULL DEFAULT 1,
  senders         text[] NOT NULL DEFAULT '{}',
  since           timestamptz NOT NULL,
  made_in         timestamptz NOT NULL DEFAULT pg_postmaster_start_time(),
  made_database   oid NOT NULL,
  run_started     timestamptz NOT NULL,
  run_database    oid NOT NULL,
  run_table       oid NOT NULL,
  born            xid8 NOT NULL
);
COMMENT ON TABLE admission IS 'One row: whether anything may be sent, and for which run of which server that is true.';
COMMENT ON COLUMN admission.ledger IS 'The installation, for ever. A send journal of another one is refused.';
COMMENT ON COLUMN admission.epoch IS 'Number of the newest opening.';
COMMENT ON COLUMN admission.closing IS 'What journals report to while the ledger is closed; closing_epoch is the epoch that it will open with.';
COMMENT ON COLUMN admission.senders IS 'The hosts for which it was opened last.';
COMMENT ON COLUMN admission.made_in IS 'The run of the server in which the ledger was made, or in which a person vouched that it is no older copy.';
COMMENT ON COLUMN admission.born IS 'Transaction that wrote the row. A copy by dump, reload or logical replication is written by another.';

CREATE TABLE sender (
  journal         uuid PRIMARY KEY,
  name            text NOT NULL,
  state           text NOT NULL DEFAULT 'known' CHECK (state IN ('known', 'lost', 'retired')),
  epoch           bigint NOT NULL DEFAULT 0,
  closing         uuid,
  report          jsonb,
  reported_at     timestamptz,
  actor           text,
  reason          text
);
COMMENT ON TABLE sender IS 'Every send journal that has reported, and the host that it belongs to.';
COMMENT ON COLUMN sender.epoch IS 'Newest opening that it took part in; of a retired one, that in which it was retired.';
COMMENT ON COLUMN sender.report IS 'What it told when it reported to this closing.';

-- Whether the row is that of this run of this server. The start of the server changes with every restart, promotion, recovery
-- and copy of its folder; the database and the table with every other copy but a reload of rows, which `born` tells.
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

-- A row of the present run, written by this transaction.
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

-- A call is known by an id of its own: two ledgers give the same number to different attempts. Without one it was made by a
-- version that does not ask whether the ledger is open.
ALTER TABLE attempt ADD COLUMN call uuid UNIQUE, ADD COLUMN journal uuid;
COMMENT ON COLUMN attempt.journal IS 'The send journal in which the call stands.';
CREATE INDEX attempt_by_journal ON attempt (journal, call_no);
CREATE FUNCTION refuse_nameless_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.call IS NULL THEN
    RAISE EXCEPTION 'a newer version of paydrop works with this ledger; this one sends nothing any more';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER call_is_named BEFORE INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION refuse_nameless_call();

ALTER TABLE forgotten_send ADD COLUMN call uuid UNIQUE, DROP CONSTRAINT forgotten_send_pkey;
CREATE UNIQUE INDEX forgotten_send_without_call ON forgotten_send (file_id, batch_no, attempt) WHERE call IS NULL;

DROP FUNCTION unknown_sends(text[], integer[], integer[]);
-- Which of these sends, by their places, the ledger does not know. Each is looked for by itself, since a join of another kind
-- would read all sends that there ever were. One without a call is of an older version.
CREATE FUNCTION unknown_sends(p_file_ids text[], p_batch_nos integer[], p_attempts integer[], p_calls uuid[])
RETURNS SETOF integer LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT j.n::integer
    FROM unnest(p_file_ids, p_batch_nos, p_attempts, p_calls) WITH ORDINALITY AS j (file_id, batch_no, attempt, call, n)
    WHERE CASE WHEN j.call IS NULL THEN
      NOT EXISTS (SELECT 1 FROM attempt a
        WHERE a.file_id = j.file_id AND a.batch_no = j.batch_no AND a.attempt = j.attempt)
      AND NOT EXISTS (SELECT 1 FROM forgotten_send g
        WHERE g.file_id = j.file_id AND g.batch_no = j.batch_no AND g.attempt = j.attempt AND g.call IS NULL)
    ELSE
      NOT EXISTS (SELECT 1 FROM attempt a WHERE a.call = j.call)
      AND NOT EXISTS (SELECT 1 FROM forgotten_send g WHERE g.call = j.call)
    END;
END $$;
