-- What is made once on each business date: runs of schedules, and files that are expected.

ALTER TABLE legal_move DROP CONSTRAINT legal_move_entity_check,
  ADD CHECK (entity IN ('file', 'batch', 'run'));

CREATE TABLE schedule (
  name            text PRIMARY KEY,
  rules           text NOT NULL,
  since           timestamptz NOT NULL
);
COMMENT ON COLUMN schedule.rules IS 'Its settings when they were last looked at.';
COMMENT ON COLUMN schedule.since IS 'What was due before is neither made nor reported: nobody had asked for it, or not at these times.';

CREATE TABLE schedule_run (
  schedule        text NOT NULL REFERENCES schedule,
  business_date   date NOT NULL,
  state           text NOT NULL,
  due_at          timestamptz NOT NULL,
  started_at      timestamptz,
  finished_at     timestamptz,
  worker          text,
  token           uuid,
  tries           integer NOT NULL DEFAULT 0,
  summary         jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (schedule, business_date),
  CHECK ((state = 'running') = (token IS NOT NULL)),
  CHECK ((state = 'running') = (finished_at IS NULL))
);
COMMENT ON TABLE schedule_run IS 'One row for each schedule and business date: the key is what makes it happen once.';
COMMENT ON COLUMN schedule_run.schedule IS 'A schedule of the configuration, or expect: and a folder.';
COMMENT ON COLUMN schedule_run.due_at IS 'The moment for which it is made: by its timetable, or before when a person made it early. Where a day is closed, its end.';
COMMENT ON COLUMN schedule_run.token IS 'Only the holder of the token may bring it to its end.';
CREATE INDEX schedule_run_open ON schedule_run (schedule, business_date) WHERE state IN ('running', 'failed');
CREATE TRIGGER legal_run_moves BEFORE INSERT OR UPDATE OF state ON schedule_run
  FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move('run');

-- The files of a folder by their time, to see whether one that is expected has come.
CREATE INDEX file_by_folder ON file (folder, claimed_at);
