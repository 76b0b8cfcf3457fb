-- Which processes run, and which configuration each of them uses.

CREATE TABLE process (
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
COMMENT ON TABLE process IS
  'Processes with workers, each with the configuration that it uses. A row counts only while its process holds the lock of its instance; the next process that begins removes the others.';
COMMENT ON COLUMN process.instance IS 'The process, as in `batch.worker`.';
COMMENT ON COLUMN process.site IS 'Site of the process.';
COMMENT ON COLUMN process.roles IS 'What the process does, roles of schemas/jobs.ts.';
COMMENT ON COLUMN process.began_at IS 'When the process began, by the clock of the host.';
COMMENT ON COLUMN process.settings_at IS
  'When the paydrop.yaml that the process uses was last changed, by the clock of its disk; null when it did not read one.';
COMMENT ON COLUMN process.sections IS
  'Hash of each section of that configuration, without the values of secrets, by which a change of the file shows.';
COMMENT ON COLUMN process.waits IS 'Sections that were changed in the file since, and take effect with a restart.';
COMMENT ON COLUMN process.changed_at IS
  'When the file with these sections, or with the fault, was changed, by the clock of its disk; null when the process uses the file as it is.';
COMMENT ON COLUMN process.fault IS 'Why the changed file cannot be used; null when it can.';

-- == Functions ==
