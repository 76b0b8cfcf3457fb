-- The list of legal moves is only added to. Versions before this one took out what they did not know, and with it the moves of
-- newer processes on the same ledger. The row below, which they do not know, makes them try, and they fail before they have
-- changed anything.
ALTER TABLE legal_move DROP CONSTRAINT legal_move_entity_check,
  ADD CHECK (entity IN ('file', 'batch', 'run', 'version'));
INSERT INTO legal_move VALUES ('version', NULL, '0029', 'only-added-to');

CREATE FUNCTION keep_legal_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND current_setting('paydrop.adds_moves', true) = 'on' THEN RETURN NULL; END IF;
  RAISE EXCEPTION 'this ledger belongs to a newer version of paydrop; legal moves are only added to';
END $$;
CREATE TRIGGER only_added_to BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON legal_move
  FOR EACH STATEMENT EXECUTE FUNCTION keep_legal_moves();
