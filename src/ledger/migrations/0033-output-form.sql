-- The settings "outputs" of the account when the file was taken. Its outputs are then the same bytes whenever they are made,
-- also after the settings have changed.
ALTER TABLE file ADD COLUMN output_form jsonb;
COMMENT ON COLUMN file.output_form IS 'Null for files that an earlier version took; their outputs keep its form.';
