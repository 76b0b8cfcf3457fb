-- What a process cannot do by itself, its neighbor on the same host may do. Only the process itself, or the one that comes
-- after it, can say that it succeeds again.
ALTER TABLE failing_work ADD COLUMN noted_by text;
COMMENT ON COLUMN failing_work.noted_by IS 'The process that noted the last failure.';
