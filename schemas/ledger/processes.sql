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
COMMENT ON COLUMN process.process_id IS 'Id that the process gave itself when it joined the ledger; it is new at each start.';
COMMENT ON COLUMN process.host IS 'Name of its host.';
COMMENT ON COLUMN process.site IS 'Site whose folders it works for (setting site).';
COMMENT ON COLUMN process.roles IS 'Roles that it was started with (schemas/jobs.ts).';
COMMENT ON COLUMN process.stays IS 'False for "paydrop run --once", which ends by itself and comes back by a timer.';
COMMENT ON COLUMN process.started_at IS 'Its first sign of life, by the clock of the database.';
COMMENT ON COLUMN process.seen_at IS
  'Last sign of life, by the clock of the database. The process writes it every few seconds, and once more at a clean end.';
COMMENT ON COLUMN process.listed_at IS
  'When the drop folder that this process listed least recently was listed, by the clock of the database; null for a process that lists none.';
