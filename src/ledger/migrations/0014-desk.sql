-- Who uses the operator's desk. Secrets stand here as hashes only: whoever reads this table can log in as nobody.
CREATE TABLE person (
  name            text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  role            text NOT NULL,
  password        text,
  subject         text UNIQUE,
  failures        integer NOT NULL DEFAULT 0,
  locked_until    timestamptz,
  made_at         timestamptz NOT NULL,
  disabled_at     timestamptz
);
COMMENT ON COLUMN person.password IS 'scrypt, with its costs and salt; empty until the person has chosen one.';
COMMENT ON COLUMN person.subject IS 'Issuer and subject of OpenID Connect, for those who log in there.';
COMMENT ON COLUMN person.failures IS 'Wrong passwords since the last right one.';

CREATE TABLE person_link (
  token_hash      bytea PRIMARY KEY,
  person          text REFERENCES person,
  made_at         timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  used_at         timestamptz
);
COMMENT ON TABLE person_link IS 'Links that work once: to choose a password, or (without a person) to set up the first administrator.';

CREATE TABLE desk_session (
  token_hash      bytea PRIMARY KEY,
  person          text NOT NULL REFERENCES person,
  csrf            text NOT NULL,
  began_at        timestamptz NOT NULL,
  seen_at         timestamptz NOT NULL
);
CREATE INDEX desk_session_by_person ON desk_session (person);

CREATE TABLE api_token (
  token_no        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_hash      bytea NOT NULL UNIQUE,
  person          text NOT NULL REFERENCES person,
  name            text NOT NULL,
  deeds           text[] NOT NULL,
  made_at         timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  seen_at         timestamptz,
  revoked_at      timestamptz
);
COMMENT ON COLUMN api_token.deeds IS 'What it may be used for, at most what its person may do at that moment.';

CREATE TABLE upload (
  upload_no       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account         text NOT NULL,
  folder          text NOT NULL,
  name            text NOT NULL,
  sha256          text NOT NULL,
  bytes           bigint NOT NULL,
  actor           text NOT NULL,
  at              timestamptz NOT NULL,
  file_id         text REFERENCES file
);
COMMENT ON TABLE upload IS 'Files that a person dropped at the desk: who made them may not be the one who checks them.';
COMMENT ON COLUMN upload.file_id IS 'The file as it came through its drop folder; empty until it is claimed.';
CREATE INDEX upload_by_content ON upload (account, sha256) WHERE file_id IS NULL;
CREATE INDEX upload_by_file ON upload (file_id);

-- What a person looks up at the desk: a batch by the id that the service gave it, whatever its account, and the files that
-- were refused because they had come before.
CREATE INDEX batch_by_batch_id ON batch (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX file_by_duplicate ON file (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX resubmission_by_new_file ON resubmission (new_file_id) WHERE new_file_id IS NOT NULL;
-- Late changes of a day, for its report; there may be as many as there are rows.
CREATE INDEX row_change_by_time ON row_change USING brin (at);

-- Who did what: persons do little beside the workers, so their links stand in an index of their own that costs the workers
-- nothing.
CREATE INDEX audit_by_person ON audit (actor text_pattern_ops, seq) WHERE starts_with(actor, 'operator:');
CREATE INDEX audit_by_move ON audit (move);
