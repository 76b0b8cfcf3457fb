-- What a user is shown of their sessions, to recognize one that is not theirs.
ALTER TABLE desk_session
  ADD COLUMN session_no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  ADD COLUMN began_by   text,
  ADD COLUMN address    text,
  ADD COLUMN browser    text,
  ADD COLUMN proved_at  timestamptz;

COMMENT ON COLUMN desk_session.began_by IS 'How its user proved who they are: password, openid or link.';
COMMENT ON COLUMN desk_session.browser IS 'Its family and system in words, such as Firefox on Windows.';
COMMENT ON COLUMN desk_session.proved_at IS 'When its user last proved who they are.';
