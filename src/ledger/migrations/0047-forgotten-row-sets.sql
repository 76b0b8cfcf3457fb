-- A file whose rows come again in another order, or in batches of other sizes, has no batch of the same bytes.
ALTER TABLE forgotten_send ADD COLUMN row_set text;
COMMENT ON COLUMN forgotten_send.row_set IS 'The mark of all rows of its file, whatever their order; empty when the journal does not tell it.';
CREATE INDEX forgotten_send_by_rows ON forgotten_send (account, row_set) WHERE row_set IS NOT NULL;
