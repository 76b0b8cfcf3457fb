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

CREATE TABLE running_settings (
  instance     text COLLATE "C" PRIMARY KEY,
  site         text NOT NULL,
  roles        text[] NOT NULL,
  began_at     timestamptz NOT NULL,
  settings_at  timestamptz,
  sections     jsonb NOT NULL,
  waits        text[] NOT NULL DEFAULT '{}',
  changed_at   timestamptz,
  fault        text
);
COMMENT ON TABLE running_settings IS
  'The configuration that each process with workers uses. A row counts only while its process holds the lock of its instance; the next process that begins removes the others.';
COMMENT ON COLUMN running_settings.instance IS 'The process, as in `batch.worker`.';
COMMENT ON COLUMN running_settings.site IS 'Site of the process.';
COMMENT ON COLUMN running_settings.roles IS 'What the process does, roles of schemas/jobs.ts.';
COMMENT ON COLUMN running_settings.began_at IS 'When the process began, by the clock of the host.';
COMMENT ON COLUMN running_settings.settings_at IS
  'When the paydrop.yaml that the process uses was last changed, by the clock of its disk; null when it did not read one.';
COMMENT ON COLUMN running_settings.sections IS
  'Hash of each section of that configuration, without the values of secrets, by which a change of the file shows.';
COMMENT ON COLUMN running_settings.waits IS 'Sections that were changed in the file since, and take effect with a restart.';
COMMENT ON COLUMN running_settings.changed_at IS
  'When the file with these sections, or with the fault, was changed, by the clock of its disk; null when the process uses the file as it is.';
COMMENT ON COLUMN running_settings.fault IS 'Why the changed file cannot be used; null when it can.';

CREATE TABLE work_folder (
  site   text COLLATE "C" NOT NULL,
  path   text COLLATE "C" NOT NULL,
  since  timestamptz NOT NULL,
  PRIMARY KEY (site, path)
);
COMMENT ON TABLE work_folder IS
  'Work folders in which claims lie or may lie. One that no drop folder uses any more is looked at until nothing lies in it; then its row goes.';
COMMENT ON COLUMN work_folder.site IS 'Site whose drop folders used it.';
COMMENT ON COLUMN work_folder.path IS 'Where it is on the hosts of the site.';
COMMENT ON COLUMN work_folder.since IS 'When a process of the site used it first, by the clock of the host.';
