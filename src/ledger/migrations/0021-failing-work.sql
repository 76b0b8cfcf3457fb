-- Work that fails each time it is tried. What succeeds again, or is not tried any more, is removed; only what fails now
-- stands here.
CREATE TABLE failing_work (
  work            text NOT NULL,
  subject         text NOT NULL,
  account         text,
  file_id         text,
  batch_no        integer,
  code            text,
  reason          text NOT NULL,
  failures        integer NOT NULL,
  since           timestamptz NOT NULL,
  last_at         timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  PRIMARY KEY (work, subject)
);
COMMENT ON COLUMN failing_work.subject IS 'What it is about: a file, a batch, an account, a folder, a server, a schedule or a target of alarms.';
COMMENT ON COLUMN failing_work.expires_at IS 'When it would have been tried again for long; who stands here later is not tried any more.';
CREATE INDEX failing_work_of_file ON failing_work (file_id) WHERE file_id IS NOT NULL;
