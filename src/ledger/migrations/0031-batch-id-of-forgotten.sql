-- What the ledger has forgotten may come to light at the service, which knows it by its batch id alone.
ALTER TABLE forgotten_send ADD COLUMN batch_id text;
COMMENT ON COLUMN forgotten_send.batch_id IS 'Id under which the service has it, where that is all that is known of it.';
