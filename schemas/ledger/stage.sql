-- What processes work on. A stage takes what is due and nobody has, works on it, and gives it back. This saves double
-- work; the moves of each stage protect the money.

CREATE UNLOGGED TABLE taken (
  stage    text COLLATE "C" NOT NULL,
  subject  text COLLATE "C" NOT NULL,
  worker   text COLLATE "C" NOT NULL,
  until    timestamptz,
  PRIMARY KEY (stage, subject)
);
COMMENT ON TABLE taken IS
  'What a process works on, and what failed a moment ago and is left alone for a while. Not written to the disk at once: after a crash of the database nobody works on anything.';
COMMENT ON COLUMN taken.stage IS 'Stage of schemas/jobs.ts.';
COMMENT ON COLUMN taken.subject IS 'What is worked on: the id of a file, file/batch, an account, a schedule or the number of a run.';
COMMENT ON COLUMN taken.worker IS 'The process, as in `batch.worker`.';
COMMENT ON COLUMN taken.until IS
  'After a failure: until when it is left alone, by the clock of the database. Null while it is worked on.';

-- == Functions ==

-- Whether a thing is worked on, or is left alone after a failure. A time far ahead was written by a clock that was wrong.
CREATE FUNCTION is_taken(p_stage text, p_subject text, p_now timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM taken t WHERE t.stage = p_stage AND t.subject = p_subject
    AND (t.until IS NULL OR (t.until > p_now AND t.until <= p_now + interval '1 hour')))
$$;
