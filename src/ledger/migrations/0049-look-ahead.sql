-- Before an account sends for the first time in an opening of the ledger, the service is asked for the batch ids after its
-- newest one. One process does that for all hosts: within an opening the ledger cannot go back.
CREATE TABLE look_ahead (
  account         text PRIMARY KEY,
  epoch           bigint NOT NULL DEFAULT 0,
  boot            text NOT NULL DEFAULT '',
  newest          text,
  asked           integer NOT NULL DEFAULT 0,
  looker          text,
  since           timestamptz,
  done            integer NOT NULL DEFAULT 0,
  total           integer NOT NULL DEFAULT 0
);
COMMENT ON TABLE look_ahead IS 'Where the service was asked for batches of an account that the ledger may have forgotten.';
COMMENT ON COLUMN look_ahead.epoch IS 'The opening of the ledger in which it was asked last, in full.';
COMMENT ON COLUMN look_ahead.boot IS 'The start of the machine that asked.';
COMMENT ON COLUMN look_ahead.newest IS 'The newest id at that time; empty once the ids up to that of the next call were asked for, too.';
COMMENT ON COLUMN look_ahead.asked IS 'How many ids after it were asked for.';
COMMENT ON COLUMN look_ahead.looker IS 'The process that is asking now; it has asked for `done` of `total` ids.';
