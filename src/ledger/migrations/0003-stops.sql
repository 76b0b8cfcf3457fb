-- Stops of accounts: who stopped what and why it may be lifted. One account may have a stop of each kind, so that a
-- pause of a person does not hide that the send journal has stopped it as well.
ALTER TABLE account_stop
  ADD COLUMN kind text NOT NULL DEFAULT 'fault' CHECK (kind IN ('pause', 'journal', 'fault')),
  ADD COLUMN actor text NOT NULL DEFAULT 'system',
  DROP CONSTRAINT account_stop_pkey,
  ADD PRIMARY KEY (account, kind);
COMMENT ON COLUMN account_stop.account IS 'An account, or * for all of them: the kill switch.';
COMMENT ON COLUMN account_stop.kind IS 'pause: a person; journal: the send journal knows more than the ledger; fault: the data or the set-up of the account.';

CREATE TABLE forgotten_send (
  file_id         text NOT NULL,
  batch_no        integer NOT NULL,
  attempt         integer NOT NULL,
  account         text NOT NULL,
  sha256          text NOT NULL,
  at              timestamptz NOT NULL,
  since           timestamptz NOT NULL,
  batch_state     text,
  acknowledged_at timestamptz,
  acknowledged_by text,
  PRIMARY KEY (file_id, batch_no, attempt)
);
COMMENT ON TABLE forgotten_send IS 'Calls that the send journal knows and that no batch of the ledger can answer for: an older copy of the ledger was restored.';
COMMENT ON COLUMN forgotten_send.sha256 IS 'Hash of the bytes that were sent. A batch of the same bytes never leaves on this account, also after a person has looked.';
COMMENT ON COLUMN forgotten_send.at IS 'When the call was declared, by the journal.';
COMMENT ON COLUMN forgotten_send.batch_state IS 'State in which the ledger held the batch when the call was found; empty when it did not know the batch.';
CREATE INDEX forgotten_send_by_bytes ON forgotten_send (account, sha256);

CREATE TABLE resubmission (
  resubmission_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file_id         text NOT NULL REFERENCES file,
  account         text NOT NULL,
  name            text NOT NULL,
  sha256          text NOT NULL,
  rows            integer NOT NULL,
  cents           bigint NOT NULL,
  actor           text NOT NULL,
  reason          text NOT NULL,
  at              timestamptz NOT NULL,
  new_file_id     text REFERENCES file
);
COMMENT ON TABLE resubmission IS 'Payment files that a person made of rows that were certainly not charged.';
COMMENT ON COLUMN resubmission.new_file_id IS 'The file as it came back through its drop folder; empty until it is claimed.';
CREATE INDEX resubmission_by_file ON resubmission (file_id);
CREATE INDEX resubmission_by_content ON resubmission (account, sha256);

-- A row is resubmitted once: the key says so, whoever asks at the same moment.
CREATE TABLE resubmitted_row (
  file_no         bigint NOT NULL,
  line            integer NOT NULL,
  resubmission_no bigint NOT NULL REFERENCES resubmission,
  PRIMARY KEY (file_no, line)
);

-- Files are asked for by the name alone or by the first letters of their id, and links of the audit trail by their time.
CREATE INDEX file_by_sender_name ON file (name);
CREATE INDEX file_by_first_letters ON file (file_id text_pattern_ops);
CREATE INDEX audit_by_time ON audit USING brin (at);
