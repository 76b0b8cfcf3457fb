-- What is made once on each business date: runs of schedules, and files that are expected.

CREATE TABLE schedule (
  name   text COLLATE "C" PRIMARY KEY,
  rules  text NOT NULL,
  since  timestamptz NOT NULL
);
COMMENT ON TABLE schedule IS 'Schedules of the configuration that were seen, and since when they count.';
COMMENT ON COLUMN schedule.name IS 'Name in the configuration, or expect: and a folder.';
COMMENT ON COLUMN schedule.rules IS 'Its settings when it was last checked.';
COMMENT ON COLUMN schedule.since IS
  'What was due before this time is neither made up for nor reported: the schedule did not exist yet, or had other times.';

CREATE TABLE schedule_run (
  schedule       text COLLATE "C" NOT NULL REFERENCES schedule,
  business_date  date NOT NULL,
  state          text NOT NULL,
  due_at         timestamptz NOT NULL,
  started_at     timestamptz,
  finished_at    timestamptz,
  worker         text,
  token          uuid,
  tries          integer NOT NULL DEFAULT 0,
  summary        jsonb NOT NULL DEFAULT '{}',
  acknowledged_at     timestamptz,
  acknowledged_by     text,
  acknowledge_reason  text,
  PRIMARY KEY (schedule, business_date),
  CHECK ((state = 'running') = (finished_at IS NULL)),
  CHECK ((state = 'running') = (token IS NOT NULL)),
  CHECK (num_nonnulls(acknowledged_at, acknowledged_by, acknowledge_reason) IN (0, 3)),
  CHECK (acknowledged_at IS NULL OR state IN ('missed', 'failed'))
);
COMMENT ON TABLE schedule_run IS 'One row per schedule and business date; the key makes it happen once.';
COMMENT ON COLUMN schedule_run.schedule IS 'A schedule of the configuration, or expect: and a folder.';
COMMENT ON COLUMN schedule_run.business_date IS 'The date, in the time zone of the schedule.';
COMMENT ON COLUMN schedule_run.state IS 'State of a run in schemas/lifecycle.ts.';
COMMENT ON COLUMN schedule_run.due_at IS
  'Moment for which it is made: by its timetable, or earlier when a user started it. Where a day is closed, its end.';
COMMENT ON COLUMN schedule_run.started_at IS
  'When its newest try began, by the clock of the host; null when it was missed.';
COMMENT ON COLUMN schedule_run.finished_at IS
  'When it ended or was found missed, by the clock of the host; null while it is running.';
COMMENT ON COLUMN schedule_run.worker IS 'Process that runs it or ran it last; null when it was missed.';
COMMENT ON COLUMN schedule_run.token IS 'Only the holder of the token may end it; null when it is not running.';
COMMENT ON COLUMN schedule_run.tries IS 'How often it was begun.';
COMMENT ON COLUMN schedule_run.summary IS 'What it did, see RunSummary in src/ledger/engine/records.ts.';
COMMENT ON COLUMN schedule_run.acknowledged_at IS
  'When a user took note that it was missed or failed, by the clock of the host; null before, and again from its next try.';
COMMENT ON COLUMN schedule_run.acknowledged_by IS 'That user, as audit.actor; null before.';
COMMENT ON COLUMN schedule_run.acknowledge_reason IS 'Why, in the words of that user; null before.';

CREATE INDEX schedule_run_open ON schedule_run (schedule, business_date) WHERE state IN ('running', 'failed');
CREATE TRIGGER legal_run_moves BEFORE INSERT OR UPDATE OF state ON schedule_run
  FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move('run');
