-- Wrong passwords are counted for a name and a place, so that they make only that place wait, not the user everywhere.
CREATE FUNCTION name_bucket(p_name text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT get_byte(h, 0) * 256 + get_byte(h, 1) FROM sha256(convert_to(p_name, 'UTF8')) h
$$;
COMMENT ON FUNCTION name_bucket IS
  '16 bits of a hash: enough to count by, too few to guess a password that was typed in the field of the name.';

CREATE TABLE log_in_failure (
  bucket          integer NOT NULL,
  place           text NOT NULL,
  failures        integer NOT NULL,
  failed_at       timestamptz NOT NULL,
  wait_until      timestamptz,
  PRIMARY KEY (bucket, place)
);
COMMENT ON COLUMN log_in_failure.bucket IS 'name_bucket of the name as typed, whether or not there is such a user.';
COMMENT ON COLUMN log_in_failure.place IS 'Address of the client, or a browser in which the user has logged in before.';
COMMENT ON COLUMN log_in_failure.failures IS 'Wrong passwords there since the last right one, at most a day apart.';

CREATE TABLE known_browser (
  token_hash      bytea PRIMARY KEY,
  person          text NOT NULL REFERENCES person,
  known_at        timestamptz NOT NULL
);
COMMENT ON TABLE known_browser IS 'Browsers in which a user has logged in; wrong passwords from elsewhere do not make them wait.';
CREATE INDEX known_browser_by_person ON known_browser (person, known_at);

-- Processes of the version before still read and write these.
COMMENT ON COLUMN person.failures IS 'Of versions that counted by name alone.';
COMMENT ON COLUMN person.locked_until IS 'Of versions that counted by name alone.';
