-- Signs of life of the processes that do work, by the clock of the database.

CREATE TABLE process (
  process_id  text COLLATE "C" PRIMARY KEY,
  host        text COLLATE "C" NOT NULL,
  site        text COLLATE "C" NOT NULL,
  roles       text[] COLLATE "C" NOT NULL,
  stays       boolean NOT NULL,
  started_at  timestamptz NOT NULL,
  seen_at     timestamptz NOT NULL,
  listed_at   timestamptz
);
COMMENT ON TABLE process IS
  'Processes that do work, with their roles. A role that no living process has is reported while it has work. A command that only reads is not listed.';
COMMENT ON COLUMN process.stays IS 'False for "paydrop run --once", which ends by itself and comes back by a timer.';
COMMENT ON COLUMN process.seen_at IS
  'Last sign of life, by the clock of the database. It is written every few seconds, and once more at a clean end.';
COMMENT ON COLUMN process.listed_at IS
  'When the drop folder that this process listed least recently was listed; null for a process that lists none.';
