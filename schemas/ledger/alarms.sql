-- Alarms, and the work that fails.

CREATE TABLE alarm (
  alarm_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text COLLATE "C" NOT NULL,
  subject     text COLLATE "C" NOT NULL,
  account     text,
  text        text NOT NULL,
  figures     jsonb NOT NULL,
  raised_at   timestamptz NOT NULL,
  cleared_at  timestamptz
);
COMMENT ON TABLE alarm IS 'What people are alerted to, from when it was raised until it was cleared.';
COMMENT ON COLUMN alarm.alarm_no IS 'Number of the alarm.';
COMMENT ON COLUMN alarm.kind IS 'Kind of schemas/alarms.ts.';
COMMENT ON COLUMN alarm.subject IS 'What it is about: a file, a batch, an account, or a part of one host.';
COMMENT ON COLUMN alarm.account IS 'Account that it concerns; null when it concerns none.';
COMMENT ON COLUMN alarm.text IS 'The sentence that is sent.';
COMMENT ON COLUMN alarm.figures IS 'Ids, counts and cents; nothing of a row.';
COMMENT ON COLUMN alarm.raised_at IS 'When it was raised, by the clock of the host.';
COMMENT ON COLUMN alarm.cleared_at IS 'When it was cleared, by the clock of the host; null while it lasts.';

-- An alarm is raised once while it lasts, even if several processes see its cause.
CREATE UNIQUE INDEX one_alarm_while_it_lasts ON alarm (kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alarm_by_subject ON alarm (kind, subject);

CREATE TABLE alarm_delivery (
  alarm_no     bigint NOT NULL REFERENCES alarm,
  event        text COLLATE "C" NOT NULL CHECK (event IN ('raised', 'cleared')),
  target       text COLLATE "C" NOT NULL,
  tries        integer NOT NULL DEFAULT 0,
  next_try_at  timestamptz NOT NULL,
  fault        text,
  ended_at     timestamptz,
  PRIMARY KEY (alarm_no, event, target)
);
COMMENT ON TABLE alarm_delivery IS
  'Messages about alarms on their way to each target. Written in the transaction that raises or clears the alarm.';
COMMENT ON COLUMN alarm_delivery.alarm_no IS 'The alarm.';
COMMENT ON COLUMN alarm_delivery.event IS 'Whether the message says that it was raised or that it was cleared.';
COMMENT ON COLUMN alarm_delivery.target IS 'Mark of the address; the address itself may hold a secret.';
COMMENT ON COLUMN alarm_delivery.tries IS 'How often it was sent, without success or with.';
COMMENT ON COLUMN alarm_delivery.next_try_at IS 'When it is sent next, by the clock of the host.';
COMMENT ON COLUMN alarm_delivery.fault IS 'Why the last try failed; null when none failed.';
COMMENT ON COLUMN alarm_delivery.ended_at IS
  'When it was delivered, or its target was removed from the configuration (then fault says so).';

CREATE INDEX delivery_waiting ON alarm_delivery (target, next_try_at) WHERE ended_at IS NULL;

CREATE TABLE alarm_watch (
  is_only   boolean DEFAULT true PRIMARY KEY CHECK (is_only),
  began_at  timestamptz NOT NULL
);
COMMENT ON TABLE alarm_watch IS 'One row: since when alarms are looked for. What ended before is not reported.';
COMMENT ON COLUMN alarm_watch.is_only IS 'Always true, so that there is one row.';
COMMENT ON COLUMN alarm_watch.began_at IS 'When alarms were looked for first, by the clock of the host.';

CREATE TABLE failing_work (
  work        text COLLATE "C" NOT NULL,
  subject     text COLLATE "C" NOT NULL,
  account     text,
  file_id     text COLLATE "C",
  batch_no    integer,
  code        text,
  reason      text NOT NULL,
  failures    integer NOT NULL,
  since       timestamptz NOT NULL,
  last_at     timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  noted_by    text NOT NULL,
  PRIMARY KEY (work, subject)
);
COMMENT ON TABLE failing_work IS
  'Work that failed the last time it was tried. A success removes the row; so does upkeep when nothing is left to try or expires_at is past.';
COMMENT ON COLUMN failing_work.work IS 'Work of schemas/jobs.ts.';
COMMENT ON COLUMN failing_work.subject IS
  'What it is about: a file, a batch, an account, a folder, a server, a schedule or a target of alarms.';
COMMENT ON COLUMN failing_work.account IS 'Account that it concerns; null when it concerns none or several.';
COMMENT ON COLUMN failing_work.file_id IS 'File that it is about; null when it is about none.';
COMMENT ON COLUMN failing_work.batch_no IS 'Number of the batch in the file; null when it is about none.';
COMMENT ON COLUMN failing_work.code IS 'Error code of the last failure; null without one.';
COMMENT ON COLUMN failing_work.reason IS 'Why it failed the last time, without data of rows.';
COMMENT ON COLUMN failing_work.failures IS 'How often in a row it failed.';
COMMENT ON COLUMN failing_work.since IS 'When the first of these failures was noted, by the clock of the host.';
COMMENT ON COLUMN failing_work.last_at IS 'When the last one was noted, by the clock of the host.';
COMMENT ON COLUMN failing_work.expires_at IS
  'When it would long have been tried again, by the clock of the host. From then on it counts as no longer tried, and upkeep removes the row.';
COMMENT ON COLUMN failing_work.noted_by IS
  'Process that noted the last failure. Only that process or its successor can report success: its neighbor on the host may be able to do what it cannot.';

CREATE INDEX failing_work_of_file ON failing_work (file_id) WHERE file_id IS NOT NULL;
