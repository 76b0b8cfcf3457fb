-- Maker and checker.

-- Nobody both makes and checks, whatever a program says: constraint two_persons.
CREATE TABLE proposal (
  proposal_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action       text NOT NULL,
  file_id      text COLLATE "C" REFERENCES file,
  batch_no     integer,
  binding      jsonb NOT NULL,
  reason       text NOT NULL,
  evidence     jsonb NOT NULL,
  made_by      text NOT NULL,
  made_at      timestamptz NOT NULL,
  checked_by   text,
  checked_at   timestamptz,
  verdict      text CHECK (verdict IN ('confirmed', 'refused', 'void')),
  profile_no   bigint REFERENCES profile_version,
  run_no       bigint REFERENCES reprocess_run,
  CHECK ((verdict IS NULL) = (checked_by IS NULL) AND (verdict IS NULL) = (checked_at IS NULL)),
  CONSTRAINT two_persons CHECK (verdict IS DISTINCT FROM 'confirmed' OR checked_by <> made_by),
  CONSTRAINT one_subject CHECK (num_nonnulls(file_id, profile_no, run_no) = 1)
);
COMMENT ON TABLE proposal IS
  'What one user proposed and another must confirm: about a file, one of its batches, a profile version or a reprocess run.';
COMMENT ON COLUMN proposal.binding IS
  'What it was made for: sha256, rows, cents, attempt. When one of them has changed, the proposal is void.';
COMMENT ON COLUMN proposal.verdict IS 'Null while it is open.';
COMMENT ON COLUMN proposal.profile_no IS 'Profile version that it would confirm.';
COMMENT ON COLUMN proposal.run_no IS 'Reprocess run that it would begin.';

-- Two open proposals for one thing could contradict each other, and each would be confirmed by itself.
CREATE UNIQUE INDEX one_open_proposal ON proposal (file_id, coalesce(batch_no, 0)) WHERE verdict IS NULL;
CREATE UNIQUE INDEX one_open_profile_proposal ON proposal (profile_no) WHERE verdict IS NULL;
CREATE UNIQUE INDEX one_open_reprocess_proposal ON proposal (run_no) WHERE verdict IS NULL;
