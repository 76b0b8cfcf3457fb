ALTER TABLE file ADD COLUMN profile_lines jsonb;
COMMENT ON COLUMN file.profile_lines IS 'Of a file read with a profile: its lines by kind, and the rows left out with their sums.';
