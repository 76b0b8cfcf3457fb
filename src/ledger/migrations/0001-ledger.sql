-- The ledger: the one truth about payment files, batches and rows. Money is integer cents, times are UTC.
-- No card or account number stands in any column in the clear; see src/crypto.

CREATE TABLE legal_move (
  entity      text NOT NULL CHECK (entity IN ('file', 'batch')),
  from_state  text,
  to_state    text NOT NULL,
  name        text NOT NULL,
  PRIMARY KEY (entity, name)
);
COMMENT ON TABLE legal_move IS 'Every legal change of state, loaded from schemas/lifecycle.ts at each start.';

CREATE TABLE vault_key (
  name        text PRIMARY KEY,
  wrapped     bytea NOT NULL
);
COMMENT ON TABLE vault_key IS 'Keys that outlive a file, wrapped by the master key.';

CREATE TABLE file (
  file_no         bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  file_id         text PRIMARY KEY,
  account         text NOT NULL,
  folder          text NOT NULL,
  operation       text NOT NULL,
  layout          text,
  name            text NOT NULL,
  state           text NOT NULL,
  state_at        timestamptz NOT NULL,
  reason_code     text,
  reason          text,
  bytes           bigint NOT NULL,
  sha256          text NOT NULL,
  completeness    text NOT NULL,
  claimed_at      timestamptz NOT NULL,
  wrapped_key     bytea,
  archive         text NOT NULL,
  charset         text NOT NULL,
  header_line     integer,
  control         jsonb,
  physical_lines  integer,
  blank_lines     integer,
  records         integer,
  valid_rows      integer,
  valid_cents     bigint,
  invalid_rows    integer,
  duplicate_of    text REFERENCES file
);
COMMENT ON COLUMN file.name IS 'Name given by the sender, long digit runs masked.';
COMMENT ON COLUMN file.control IS 'Control totals of the sidecar, if one came: rows, totalCents, sha256.';
CREATE INDEX file_by_state ON file (state, state_at);
CREATE INDEX file_by_name ON file (account, name);
-- The same bytes are taken once per account; a refused or cancelled file may come again.
CREATE UNIQUE INDEX one_content_per_account ON file (account, sha256)
  WHERE state IN ('accepted', 'held', 'in_progress', 'completed', 'partly_cancelled');

CREATE TABLE batch (
  file_id         text NOT NULL REFERENCES file,
  batch_no        integer NOT NULL,
  account         text NOT NULL,
  operation       text NOT NULL,
  state           text NOT NULL,
  state_at        timestamptz NOT NULL,
  reason          text,
  attempt         integer NOT NULL DEFAULT 1,
  rows            integer NOT NULL,
  cents           bigint NOT NULL,
  body_sha256     text NOT NULL,
  token           uuid,
  worker          text,
  lease_until     timestamptz,
  not_before      timestamptz,
  releases        integer NOT NULL DEFAULT 0,
  batch_id        text,
  submitted_at    timestamptz,
  polls           integer NOT NULL DEFAULT 0,
  next_poll_at    timestamptz,
  result_at       timestamptz,
  result_sha256   text,
  PRIMARY KEY (file_id, batch_no)
);
COMMENT ON COLUMN batch.worker IS 'Instance that holds the batch while preparing or sending.';
COMMENT ON COLUMN batch.lease_until IS 'By the clock of the database: until then the holder of the token may begin to send.';
COMMENT ON COLUMN batch.releases IS 'How often it came back unsent since the last attempt; the wait before the next grows with it.';
-- Only open batches are looked for; the many reconciled ones stay out of the index.
CREATE INDEX open_batch ON batch (account, state) WHERE state NOT IN ('reconciled', 'cancelled');
-- One call of an account in flight, and a batch id never seen before on the account: held by the database itself.
CREATE UNIQUE INDEX one_call_in_flight ON batch (account) WHERE state IN ('preparing', 'sending');
CREATE UNIQUE INDEX one_batch_per_batch_id ON batch (account, batch_id) WHERE batch_id IS NOT NULL;

CREATE TABLE attempt (
  file_id         text NOT NULL,
  batch_no        integer NOT NULL,
  attempt         integer NOT NULL,
  worker          text NOT NULL,
  host            text NOT NULL,
  request_bytes   integer NOT NULL,
  started_at      timestamptz NOT NULL,
  ended_at        timestamptz,
  verdict         text,
  evidence        jsonb,
  PRIMARY KEY (file_id, batch_no, attempt),
  FOREIGN KEY (file_id, batch_no) REFERENCES batch
);
COMMENT ON TABLE attempt IS 'One row per intent to send, written before the first byte; two sends of one attempt cannot be recorded.';

CREATE TABLE sealed_part (
  file_id         text NOT NULL,
  batch_no        integer NOT NULL,
  part            text NOT NULL CHECK (part IN ('body', 'result')),
  bytes           bytea NOT NULL,
  PRIMARY KEY (file_id, batch_no, part),
  FOREIGN KEY (file_id, batch_no) REFERENCES batch ON DELETE CASCADE
);
-- Sealed bytes do not compress; do not try.
ALTER TABLE sealed_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Write-once: an invalid row has no batch.
CREATE TABLE payment_row (
  file_no         bigint NOT NULL,
  line            integer NOT NULL,
  batch_no        integer,
  invoice         text NOT NULL,
  customer_code   text NOT NULL,
  amount_cents    bigint,
  last_four       text NOT NULL,
  fingerprint     bytea,
  PRIMARY KEY (file_no, line)
);
CREATE INDEX payment_row_by_invoice ON payment_row (invoice);
-- The rows of one batch; without it each batch of a large file would read the whole file.
CREATE INDEX payment_row_by_batch ON payment_row (file_no, batch_no);

CREATE TABLE row_fault (
  file_no         bigint NOT NULL,
  seq             integer NOT NULL,
  line            integer NOT NULL,
  column_name     text,
  code            text NOT NULL,
  detail          text,
  value           text,
  PRIMARY KEY (file_no, seq)
);

CREATE TABLE row_outcome (
  file_no         bigint NOT NULL,
  line            integer NOT NULL,
  outcome         text NOT NULL,
  code            integer,
  message         text NOT NULL,
  "authorization" text NOT NULL,
  PRIMARY KEY (file_no, line)
);

CREATE TABLE output (
  file_id         text NOT NULL REFERENCES file,
  kind            text NOT NULL,
  name            text NOT NULL,
  sha256          text NOT NULL,
  bytes           bigint NOT NULL,
  rows            integer NOT NULL,
  written_at      timestamptz NOT NULL,
  PRIMARY KEY (file_id, kind)
);

CREATE TABLE account_stop (
  account         text PRIMARY KEY,
  reason          text NOT NULL,
  since           timestamptz NOT NULL
);
COMMENT ON TABLE account_stop IS 'Accounts that submit nothing until a person has looked. An account with an unknown or refused batch is stopped besides.';

CREATE TABLE audit (
  seq             bigint PRIMARY KEY,
  at              timestamptz NOT NULL,
  actor           text NOT NULL,
  file_id         text,
  batch_no        integer,
  move            text NOT NULL,
  from_state      text,
  to_state        text,
  reason          text NOT NULL,
  evidence        jsonb NOT NULL,
  previous        bytea NOT NULL,
  hash            bytea NOT NULL
);
CREATE INDEX audit_by_file ON audit (file_id, seq);

CREATE TABLE audit_head (
  seq             bigint NOT NULL,
  hash            bytea NOT NULL
);
COMMENT ON TABLE audit_head IS 'One row: where the chain ends. A chain cut off at its end would look whole without it.';
INSERT INTO audit_head VALUES (0, '\x00');

-- Appends one link. The lock on the head makes the chain a chain: without it two transactions would follow the same
-- predecessor. It is held to the end of the transaction, so it is taken last (src/ledger/engine/transaction.ts).
CREATE FUNCTION append_audit(
  p_at timestamptz, p_actor text, p_file_id text, p_batch_no integer, p_move text,
  p_from text, p_to text, p_reason text, p_evidence jsonb
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last_link audit_head;
  new_hash bytea;
BEGIN
  SELECT * INTO STRICT last_link FROM audit_head FOR UPDATE;
  new_hash := audit_hash(last_link.hash, last_link.seq + 1, p_at, p_actor, p_file_id, p_batch_no, p_move, p_from, p_to,
                         p_reason, p_evidence);
  INSERT INTO audit VALUES (last_link.seq + 1, p_at, p_actor, p_file_id, p_batch_no, p_move, p_from, p_to, p_reason,
                            p_evidence, last_link.hash, new_hash);
  UPDATE audit_head SET seq = last_link.seq + 1, hash = new_hash;
END $$;

-- JSON of the fields keeps them apart: no two different links can read the same.
CREATE FUNCTION audit_hash(
  p_previous bytea, p_seq bigint, p_at timestamptz, p_actor text, p_file_id text, p_batch_no integer, p_move text,
  p_from text, p_to text, p_reason text, p_evidence jsonb
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(p_previous || convert_to(jsonb_build_array(
    p_seq, extract(epoch FROM p_at), p_actor, p_file_id, p_batch_no, p_move, p_from, p_to, p_reason, p_evidence
  )::text, 'UTF8'))
$$;

CREATE FUNCTION refuse_illegal_move() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before_state text := NULL;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.state = NEW.state THEN RETURN NEW; END IF;
    before_state := OLD.state;
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM legal_move
    WHERE entity = TG_ARGV[0] AND from_state IS NOT DISTINCT FROM before_state AND to_state = NEW.state
  ) THEN
    RAISE EXCEPTION 'illegal move of a % from % to %', TG_ARGV[0], coalesce(before_state, 'nothing'), NEW.state
      USING ERRCODE = 'PD001';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER legal_file_moves BEFORE INSERT OR UPDATE OF state ON file
  FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move('file');
CREATE TRIGGER legal_batch_moves BEFORE INSERT OR UPDATE OF state ON batch
  FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move('batch');

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is written once', TG_TABLE_NAME USING ERRCODE = 'PD002';
END $$;
CREATE TRIGGER rows_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_row
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER outcomes_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON row_outcome
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
