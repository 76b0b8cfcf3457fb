-- A corrected file names the held or rejected one that it stands for, so that each leads to the other.
ALTER TABLE upload ADD COLUMN replaces text REFERENCES file;
COMMENT ON COLUMN upload.replaces IS 'The file that this one corrects. Only a person declines it.';
CREATE INDEX upload_by_replaced ON upload (replaces) WHERE replaces IS NOT NULL;
