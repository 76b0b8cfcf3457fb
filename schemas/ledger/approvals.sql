-- Proposals: one user proposes, another confirms or refuses.

-- The constraint two_persons keeps the same user from doing both, whatever a program says.
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
COMMENT ON COLUMN proposal.proposal_no IS 'Number of the proposal.';
COMMENT ON COLUMN proposal.action IS 'What would be done, such as approve or not-received.';
COMMENT ON COLUMN proposal.file_id IS 'The file; null when the subject is a profile version or a reprocess run.';
COMMENT ON COLUMN proposal.batch_no IS 'Number of the batch in the file; null when it is about the whole file.';
COMMENT ON COLUMN proposal.binding IS
  'What it was made for: sha256, rows, cents, attempt. When one of them has changed, the proposal is void.';
COMMENT ON COLUMN proposal.reason IS 'Why, in the words of the user who proposed it.';
COMMENT ON COLUMN proposal.evidence IS
  'What the action needs and what it rests on, without numbers of cards or accounts.';
COMMENT ON COLUMN proposal.made_by IS 'User who proposed it, as audit.actor.';
COMMENT ON COLUMN proposal.made_at IS 'When it was proposed, by the clock of the host.';
COMMENT ON COLUMN proposal.checked_by IS
  'User who confirmed or refused it, or the actor that made it void; null while it is open.';
COMMENT ON COLUMN proposal.checked_at IS 'When that was, by the clock of the host; null while it is open.';
COMMENT ON COLUMN proposal.verdict IS 'confirmed, refused or void; null while it is open.';
COMMENT ON COLUMN proposal.profile_no IS 'Profile version that it would confirm.';
COMMENT ON COLUMN proposal.run_no IS 'Reprocess run that it would begin.';

-- Two open proposals about one subject could contradict each other, and each could be confirmed alone.
CREATE UNIQUE INDEX one_open_proposal ON proposal (file_id, coalesce(batch_no, 0)) WHERE verdict IS NULL;
CREATE UNIQUE INDEX one_open_profile_proposal ON proposal (profile_no) WHERE verdict IS NULL;
CREATE UNIQUE INDEX one_open_reprocess_proposal ON proposal (run_no) WHERE verdict IS NULL;
