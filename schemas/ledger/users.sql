-- Users of the dashboard and the API. Secrets stand here as hashes only: a reader of these tables cannot log in as any
-- user.

CREATE TABLE person (
  name         text COLLATE "C" PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  role         text NOT NULL,
  password     text,
  subject      text COLLATE "C" UNIQUE,
  made_at      timestamptz NOT NULL,
  disabled_at  timestamptz,
  settings     jsonb NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE person IS 'Users of the dashboard and the API. Secrets are kept as hashes only.';
COMMENT ON COLUMN person.name IS 'Name that the user logs in with.';
COMMENT ON COLUMN person.role IS 'Role of schemas/actions.ts, which says what the user may do.';
COMMENT ON COLUMN person.password IS 'scrypt, with its costs and salt; null until the user has chosen one.';
COMMENT ON COLUMN person.subject IS 'Issuer and subject of OpenID Connect, for those who log in there.';
COMMENT ON COLUMN person.made_at IS 'When the user was made, by the clock of the host.';
COMMENT ON COLUMN person.disabled_at IS
  'When the user was disabled, by the clock of the host; null while the user may log in.';
COMMENT ON COLUMN person.settings IS
  'How pages look for this user: zone, density, theme, first page. A missing key means the default.';

CREATE TABLE person_link (
  token_hash  bytea PRIMARY KEY,
  person      text REFERENCES person,
  made_at     timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz
);
COMMENT ON TABLE person_link IS
  'Links that work once: to choose a password or, without a user, to set up the first administrator.';
COMMENT ON COLUMN person_link.token_hash IS 'Hash of the secret in the link.';
COMMENT ON COLUMN person_link.person IS 'The user; null in the link that sets up the first administrator.';
COMMENT ON COLUMN person_link.made_at IS 'When it was made, by the clock of the host.';
COMMENT ON COLUMN person_link.expires_at IS 'Until then it works.';
COMMENT ON COLUMN person_link.used_at IS 'When it was used; null before.';

CREATE TABLE user_session (
  token_hash  bytea PRIMARY KEY,
  person      text COLLATE "C" NOT NULL REFERENCES person,
  csrf        text NOT NULL,
  began_at    timestamptz NOT NULL,
  seen_at     timestamptz NOT NULL,
  session_no  bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  began_by    text NOT NULL,
  address     text NOT NULL,
  browser     text NOT NULL,
  proved_at   timestamptz NOT NULL
);
COMMENT ON TABLE user_session IS 'Logged-in browsers. Only the hash of the cookie is kept.';
COMMENT ON COLUMN user_session.token_hash IS 'Hash of the secret in the cookie.';
COMMENT ON COLUMN user_session.person IS 'The user.';
COMMENT ON COLUMN user_session.csrf IS 'Token that every form of the session carries.';
COMMENT ON COLUMN user_session.began_at IS 'When the user logged in, by the clock of the host.';
COMMENT ON COLUMN user_session.seen_at IS 'When the session was used last, by the clock of the host.';
COMMENT ON COLUMN user_session.session_no IS 'Number by which the user can end it.';
COMMENT ON COLUMN user_session.began_by IS 'How the user proved who they are: password, openid or link.';
COMMENT ON COLUMN user_session.address IS 'Address of the client at the log-in.';
COMMENT ON COLUMN user_session.browser IS 'Family and system in words, such as Firefox on Windows.';
COMMENT ON COLUMN user_session.proved_at IS 'When the user last proved who they are.';

CREATE INDEX user_session_by_person ON user_session (person);

CREATE TABLE known_browser (
  token_hash  bytea PRIMARY KEY,
  person      text COLLATE "C" NOT NULL REFERENCES person,
  known_at    timestamptz NOT NULL
);
COMMENT ON TABLE known_browser IS
  'Browsers in which a user has logged in. Wrong passwords that others type elsewhere do not delay a log-in here.';
COMMENT ON COLUMN known_browser.token_hash IS 'Hash of the secret in the cookie.';
COMMENT ON COLUMN known_browser.person IS 'The user.';
COMMENT ON COLUMN known_browser.known_at IS 'When the user logged in there last, by the clock of the host.';

CREATE INDEX known_browser_by_person ON known_browser (person, known_at);

CREATE TABLE log_in_failure (
  bucket      integer NOT NULL,
  place       text COLLATE "C" NOT NULL,
  failures    integer NOT NULL,
  failed_at   timestamptz NOT NULL,
  wait_until  timestamptz,
  PRIMARY KEY (bucket, place)
);
COMMENT ON TABLE log_in_failure IS
  'Wrong passwords, counted by name and place, so that they make only that place wait and not the user everywhere.';
COMMENT ON COLUMN log_in_failure.bucket IS 'name_bucket of the name as typed, whether or not there is such a user.';
COMMENT ON COLUMN log_in_failure.place IS 'Address of the client, or a browser in which the user has logged in before.';
COMMENT ON COLUMN log_in_failure.failures IS 'Wrong passwords there since the last right one, at most a day apart.';
COMMENT ON COLUMN log_in_failure.failed_at IS 'When the last wrong password was given, by the clock of the host.';
COMMENT ON COLUMN log_in_failure.wait_until IS
  'Until then no password is accepted from there; null when there is no wait.';

CREATE TABLE second_factor (
  person        text COLLATE "C" PRIMARY KEY REFERENCES person,
  made_at       timestamptz NOT NULL,
  confirmed_at  timestamptz,
  last_step     bigint NOT NULL DEFAULT 0,
  failures      integer NOT NULL DEFAULT 0,
  wait_until    timestamptz
);
COMMENT ON TABLE second_factor IS
  'Users who enter a code of an app after the password. The secret is in vault_key, as "second factor" and the name of the user.';
COMMENT ON COLUMN second_factor.person IS 'The user.';
COMMENT ON COLUMN second_factor.made_at IS 'When the secret was made, by the clock of the host.';
COMMENT ON COLUMN second_factor.confirmed_at IS 'When a code of the app was right; before that, no code is asked for.';
COMMENT ON COLUMN second_factor.last_step IS 'Last half minute whose code was used: a code works once.';
COMMENT ON COLUMN second_factor.failures IS 'Wrong codes since the last right one.';
COMMENT ON COLUMN second_factor.wait_until IS 'Until then no code is accepted; null when there is no wait.';

CREATE TABLE recovery_code (
  person     text COLLATE "C" NOT NULL REFERENCES second_factor ON DELETE CASCADE,
  code_hash  bytea NOT NULL,
  used_at    timestamptz,
  PRIMARY KEY (person, code_hash)
);
COMMENT ON TABLE recovery_code IS 'Codes that replace the app once, as hashes.';
COMMENT ON COLUMN recovery_code.person IS 'The user.';
COMMENT ON COLUMN recovery_code.code_hash IS 'Hash of the code.';
COMMENT ON COLUMN recovery_code.used_at IS 'When it was used; null before.';

CREATE TABLE pending_log_in (
  token_hash  bytea PRIMARY KEY,
  person      text NOT NULL REFERENCES person,
  began_at    timestamptz NOT NULL
);
COMMENT ON TABLE pending_log_in IS 'Browsers that gave the right password and still owe the code.';
COMMENT ON COLUMN pending_log_in.token_hash IS 'Hash of the secret in the cookie.';
COMMENT ON COLUMN pending_log_in.person IS 'The user.';
COMMENT ON COLUMN pending_log_in.began_at IS 'When the right password was given, by the clock of the host.';

CREATE TABLE api_token (
  token_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_hash  bytea NOT NULL UNIQUE,
  person      text NOT NULL REFERENCES person,
  name        text NOT NULL,
  actions     text[] NOT NULL,
  made_at     timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  seen_at     timestamptz,
  revoked_at  timestamptz
);
COMMENT ON TABLE api_token IS 'Tokens for programs that act for a user. Only their hashes are kept.';
COMMENT ON COLUMN api_token.token_no IS 'Number by which a user can revoke it.';
COMMENT ON COLUMN api_token.token_hash IS 'Hash of the token.';
COMMENT ON COLUMN api_token.person IS 'The user for whom it acts.';
COMMENT ON COLUMN api_token.name IS 'What it is for, in the words of the user.';
COMMENT ON COLUMN api_token.actions IS
  'Actions that it may be used for, at most those that its user may do at that moment.';
COMMENT ON COLUMN api_token.made_at IS 'When it was made, by the clock of the host.';
COMMENT ON COLUMN api_token.expires_at IS 'Until then it works.';
COMMENT ON COLUMN api_token.seen_at IS 'When it was used last, by the clock of the host; null before.';
COMMENT ON COLUMN api_token.revoked_at IS 'When it was revoked, by the clock of the host; null while it works.';

CREATE TABLE saved_view (
  view_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person     text COLLATE "C" NOT NULL REFERENCES person,
  page       text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  query      text NOT NULL,
  is_shared  boolean NOT NULL,
  made_at    timestamptz NOT NULL,
  UNIQUE (person, page, name)
);
COMMENT ON TABLE saved_view IS 'Filters and orders of lists that users saved under a name.';
COMMENT ON COLUMN saved_view.view_no IS 'Number of the view.';
COMMENT ON COLUMN saved_view.person IS 'User who saved it.';
COMMENT ON COLUMN saved_view.page IS 'Name of the list.';
COMMENT ON COLUMN saved_view.name IS 'Name that the user gave it.';
COMMENT ON COLUMN saved_view.query IS 'As in the address of the page, which reads it like any other.';
COMMENT ON COLUMN saved_view.is_shared IS 'Whether other users see it.';
COMMENT ON COLUMN saved_view.made_at IS 'When it was saved last, by the clock of the host.';

CREATE INDEX shared_view ON saved_view (page) WHERE is_shared;

-- == Functions ==

-- 16 bits of a hash: enough to count by, too few to guess a password that was typed in the field of the name.
CREATE FUNCTION name_bucket(p_name text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT get_byte(h, 0) * 256 + get_byte(h, 1) FROM sha256(convert_to(p_name, 'UTF8')) h
$$;
