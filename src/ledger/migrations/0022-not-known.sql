-- A batch id that the service does not know is asked for in vain, and a person has to look at it.
ALTER TABLE batch ADD COLUMN not_known_polls integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN batch.not_known_polls IS 'How often in a row the service has said the same text that is no state of the batch, such as Invalid Batch ID.';
