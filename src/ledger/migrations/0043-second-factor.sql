-- Codes of an app, asked after the password.
CREATE TABLE second_factor (
  person        text PRIMARY KEY REFERENCES person,
  made_at       timestamptz NOT NULL,
  confirmed_at  timestamptz,
  last_step     bigint NOT NULL DEFAULT 0,
  failures      integer NOT NULL DEFAULT 0,
  wait_until    timestamptz
);
COMMENT ON TABLE second_factor IS 'Its secret is in vault_key, under the name "second factor" and the user.';
COMMENT ON COLUMN second_factor.confirmed_at IS 'When a code of the app was right; before, it is not asked for.';
COMMENT ON COLUMN second_factor.last_step IS 'The last half minute whose code was used: a code works once.';

CREATE TABLE recovery_code (
  person      text NOT NULL REFERENCES second_factor ON DELETE CASCADE,
  code_hash   bytea NOT NULL,
  used_at     timestamptz,
  PRIMARY KEY (person, code_hash)
);

CREATE TABLE half_log_in (
  token_hash  bytea PRIMARY KEY,
  person      text NOT NULL REFERENCES person,
  began_at    timestamptz NOT NULL
);
COMMENT ON TABLE half_log_in IS 'Browsers whose password was right and whose code is still asked for.';
