-- Drops that came as OpenPGP messages: what is inside, and what opens it.
ALTER TABLE file
  ADD COLUMN content_sha256 text,
  ADD COLUMN content_key bytea,
  ADD CHECK (shredded_at IS NULL OR content_key IS NULL);
COMMENT ON COLUMN file.content_sha256 IS 'Of an encrypted drop: SHA-256 of what is inside; sha256 is that of the bytes that came.';
COMMENT ON COLUMN file.content_key IS 'Of an encrypted drop: the session key of the message, sealed with the data key of the file.';

-- Encrypted twice, the same file has other bytes each time. So what is inside is taken once per account as well, whether
-- it came encrypted or not.
CREATE UNIQUE INDEX one_inside_per_account ON file (account, (coalesce(content_sha256, sha256)))
  WHERE state IN ('accepted', 'held', 'in_progress', 'completed', 'partly_cancelled');
