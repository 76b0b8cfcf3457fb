-- What the whole ledger rests on: its versions, the legal moves, and "written once".
--
-- Rules refuse with a code: PD001 an illegal move, PD002 a change of what must stay as it is, such as a table that is
-- written once, PD003 a send after a call that is not resolved, PD004 a retired master key.
--
-- Money is integer cents, times are UTC. No card or account number stands in any column in the clear (src/crypto).
-- Text that an index sorts has the collation "C", which compares bytes. The collation of a database comes from the
-- operating system, whose update may change the order; lookups then miss entries, and a unique index lets a second in.

CREATE TABLE migration (
  name        text COLLATE "C" PRIMARY KEY,
  applied_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE migration IS
  'Versions whose changes of the tables were applied; the first is the one that made the ledger.';
COMMENT ON COLUMN migration.name IS 'Version of paydrop, such as 0.1.0.';
COMMENT ON COLUMN migration.applied_at IS 'When its changes were applied, by the clock of the database.';

CREATE TABLE legal_move (
  entity      text COLLATE "C" NOT NULL CHECK (entity IN ('file', 'batch', 'run', 'profile', 'reprocess')),
  from_state  text,
  to_state    text NOT NULL,
  name        text COLLATE "C" NOT NULL,
  PRIMARY KEY (entity, name)
);
COMMENT ON TABLE legal_move IS 'Every legal change of state, loaded from schemas/lifecycle.ts at each start.';
COMMENT ON COLUMN legal_move.entity IS 'What changes its state.';
COMMENT ON COLUMN legal_move.from_state IS 'State before; null when the transition makes the row.';
COMMENT ON COLUMN legal_move.to_state IS 'State after.';
COMMENT ON COLUMN legal_move.name IS 'Name of the transition in schemas/lifecycle.ts.';

-- The database itself refuses a change of state that the lifecycle does not list, whatever the program does.
CREATE FUNCTION refuse_illegal_move() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before_state text := NULL;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.state = NEW.state THEN RETURN NEW; END IF;
    before_state := OLD.state;
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM legal_move
    WHERE entity = TG_ARGV[0] AND from_state IS NOT DISTINCT FROM before_state AND to_state = NEW.state
  ) THEN
    RAISE EXCEPTION 'illegal move of a % from % to %', TG_ARGV[0], coalesce(before_state, 'nothing'), NEW.state
      USING ERRCODE = 'PD001';
  END IF;
  RETURN NEW;
END $$;

-- Moves are only added: processes of two versions may use the same ledger at the same time. The program sets
-- paydrop.adds_moves in the transaction in which it adds those of its version (src/ledger/engine/migrate.ts); the
-- statement of any other session is a mistake.
CREATE FUNCTION keep_legal_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND current_setting('paydrop.adds_moves', true) = 'on' THEN RETURN NULL; END IF;
  RAISE EXCEPTION 'this ledger belongs to a newer version of paydrop; legal moves are only added to'
    USING ERRCODE = 'PD002';
END $$;
CREATE TRIGGER only_added_to BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON legal_move
  FOR EACH STATEMENT EXECUTE FUNCTION keep_legal_moves();

-- Refuses the statement: what it would change is written once. The trigger names the statements and columns.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is written once', TG_TABLE_NAME USING ERRCODE = 'PD002';
END $$;

-- == Functions ==

-- Whether a time has come. One beyond the longest wait of its kind came from a wrong clock and counts as come, as in
-- src/kernel/clock.ts.
CREATE FUNCTION has_come(p_time timestamptz, p_now timestamptz, p_longest_ms bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p_time <= p_now OR p_time > p_now + p_longest_ms * interval '1 millisecond'
$$;

-- The same rule as ranges (after, until], so that an index of such times answers it by two short looks. The planner takes the
-- rule itself for half of all times. test/ledger/stage/has-come.test.ts keeps both alike.
CREATE FUNCTION times_that_have_come(p_now timestamptz, p_longest_ms bigint)
RETURNS TABLE (after timestamptz, until timestamptz) LANGUAGE sql STABLE ROWS 2 AS $$
  VALUES ('-infinity'::timestamptz, p_now), (p_now + p_longest_ms * interval '1 millisecond', 'infinity'::timestamptz)
$$;
