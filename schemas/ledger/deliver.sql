-- Output files.

CREATE TABLE output (
  file_id     text COLLATE "C" NOT NULL REFERENCES file,
  kind        text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  sha256      text NOT NULL,
  bytes       bigint NOT NULL,
  rows        integer NOT NULL,
  written_at  timestamptz NOT NULL,
  number      integer NOT NULL DEFAULT 0,
  PRIMARY KEY (file_id, kind, number)
);
COMMENT ON TABLE output IS 'Files that were written for accounting, with the hash of their bytes.';
COMMENT ON COLUMN output.file_id IS 'The payment file that it is about.';
COMMENT ON COLUMN output.kind IS 'A kind of OUTPUT_KINDS in schemas/lifecycle.ts.';
COMMENT ON COLUMN output.name IS 'Name in the output folder of the account.';
COMMENT ON COLUMN output.sha256 IS 'SHA-256 of its bytes.';
COMMENT ON COLUMN output.bytes IS 'Size in bytes.';
COMMENT ON COLUMN output.rows IS 'How many rows it lists.';
COMMENT ON COLUMN output.written_at IS 'When it was written, by the clock of the host.';
COMMENT ON COLUMN output.number IS 'Number of a correction; 0 for the other kinds.';

CREATE INDEX output_by_time ON output (written_at);

CREATE TABLE delivery (
  file_no  bigint NOT NULL
);
COMMENT ON TABLE delivery IS
  'Files of which an output may be due, so that nobody has to look for them among all others. The database itself notes each event after which one is due. It names a file too often or in vain, never too seldom.';
COMMENT ON COLUMN delivery.file_no IS 'The file.';

CREATE INDEX delivery_by_file ON delivery (file_no);

-- Notes a file after what makes an output due: its verdict, the end of a batch, a change of an outcome, the loss of an
-- output. Always by a row of its own: no transaction then waits for another, or relies on a note that another takes away.
CREATE FUNCTION note_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
  WHEN 'file' THEN INSERT INTO delivery (file_no) VALUES (NEW.file_no);
  WHEN 'batch' THEN INSERT INTO delivery (file_no) SELECT f.file_no FROM file f WHERE f.file_id = NEW.file_id;
  WHEN 'output' THEN INSERT INTO delivery (file_no) SELECT f.file_no FROM file f WHERE f.file_id = OLD.file_id;
  WHEN 'row_change' THEN INSERT INTO delivery (file_no) SELECT DISTINCT c.file_no FROM changed c;
  END CASE;
  RETURN NULL;
END $$;
CREATE TRIGGER noted_verdict AFTER UPDATE OF state ON file
  FOR EACH ROW WHEN (NEW.state NOT IN ('claimed', 'in_progress', 'completed')) EXECUTE FUNCTION note_delivery();
CREATE TRIGGER noted_batch_end AFTER UPDATE OF state ON batch
  FOR EACH ROW WHEN (NEW.state IN ('reconciled', 'cancelled')) EXECUTE FUNCTION note_delivery();
CREATE TRIGGER noted_loss AFTER DELETE ON output FOR EACH ROW EXECUTE FUNCTION note_delivery();
CREATE TRIGGER noted_change AFTER INSERT ON row_change
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_delivery();

-- == Functions ==

-- Records output files that were written and read back, of one payment file or of many, and completes those that are to
-- be completed, if no batch of them is open. Recording an output again changes nothing. Nothing of a file is recorded when
-- this ledger is not the one that its outputs were made of: when the server is replaced under a running process, the
-- process may read from one ledger and record in the other, which would keep to bytes that it can never make again. Nor is
-- anything recorded beside an output that has other bytes: two processes with different settings wrote it at once.
-- p_files: as in read_made_outputs. p_links: a list of {key, link} in their order; a link is appended if what it is about
-- was made. Returns what was made, as in make_outputs, and its key.
CREATE FUNCTION commit_outputs(p_at timestamptz, p_database_now timestamptz, p_files jsonb, p_links jsonb)
RETURNS TABLE (file_id text, made text, account text, key text)
LANGUAGE plpgsql AS $$
DECLARE
  one record;
  keys text[] := '{}';
  links jsonb;
BEGIN
  FOR one IN SELECT * FROM make_outputs(p_at, p_database_now, p_files) LOOP
    file_id := one.file_id;
    made := one.made;
    account := one.account;
    key := concat_ws(' ', one.file_id, one.made, one.kind, one.number);
    keys := keys || key;
    RETURN NEXT;
  END LOOP;
  SELECT jsonb_agg(l.entry->'link' ORDER BY l.place) INTO links
    FROM jsonb_array_elements(p_links) WITH ORDINALITY AS l (entry, place) WHERE l.entry->>'key' = ANY (keys);
  IF links IS NOT NULL THEN
    PERFORM append_audit(p_at, p_database_now, links);
  END IF;
END $$;

-- Makes what commit_outputs records: `another` for a file whose outputs were made of something else, `output` for each that
-- is new, and the moves `begin` and `complete`.
CREATE FUNCTION make_outputs(p_at timestamptz, p_database_now timestamptz, p_files jsonb)
RETURNS TABLE (file_id text, made text, kind text, number integer, account text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  ours text[];
  is_any_unbegun boolean;
BEGIN
  SELECT bool_or(locked.state = 'accepted') INTO is_any_unbegun FROM (
    SELECT f.state FROM file f JOIN read_made_outputs(p_files) r ON f.file_id = r.file_id
    ORDER BY f.file_id FOR NO KEY UPDATE OF f) locked;
  SELECT array_agg(r.file_id) INTO ours FROM read_made_outputs(p_files) r
    WHERE r.read_from = ledger_mark() AND (r.batch_marks IS NULL OR r.batch_marks = batch_marks(r.file_id))
      AND NOT EXISTS (
        SELECT FROM jsonb_to_recordset(r.outputs) AS n (kind text, number integer, sha256 text)
        JOIN output o ON o.file_id = r.file_id AND o.kind = n.kind AND o.number = coalesce(n.number, 0)
        WHERE o.sha256 <> n.sha256);
  RETURN QUERY SELECT r.file_id, 'another', NULL::text, NULL::integer, NULL::text FROM read_made_outputs(p_files) r
    WHERE r.file_id <> ALL (coalesce(ours, '{}'));
  RETURN QUERY
    INSERT INTO output (file_id, kind, number, name, sha256, bytes, rows, written_at)
      SELECT r.file_id, o.kind, coalesce(o.number, 0), o.name, o.sha256, o.bytes, o.rows, p_at
      FROM read_made_outputs(p_files) r CROSS JOIN LATERAL jsonb_to_recordset(r.outputs) AS o
        (kind text, number integer, name text, sha256 text, bytes bigint, rows integer)
      WHERE r.file_id = ANY (ours)
    ON CONFLICT (file_id, kind, number) DO NOTHING RETURNING file_id, 'output', kind, number, NULL::text;
  -- Of a file without a row to send no batch has begun it. Such files are rare.
  IF is_any_unbegun THEN
    RETURN QUERY
      UPDATE file f SET state = 'in_progress', state_at = p_at, known_at = p_database_now FROM read_made_outputs(p_files) r
      WHERE f.file_id = r.file_id AND r.is_last AND f.state = 'accepted' AND f.file_id = ANY (ours) AND has_ended(f.file_id)
      RETURNING f.file_id, 'begin', NULL::text, NULL::integer, f.account;
  END IF;
  RETURN QUERY
    UPDATE file f SET state = 'completed', state_at = p_at, known_at = p_database_now FROM read_made_outputs(p_files) r
    WHERE f.file_id = r.file_id AND r.is_last AND f.state = 'in_progress' AND f.file_id = ANY (ours) AND has_ended(f.file_id)
    RETURNING f.file_id, 'complete', NULL::text, NULL::integer, f.account;
  -- What is noted meanwhile is not seen here, and stays.
  DELETE FROM delivery d USING file f
    WHERE f.file_id = ANY (ours) AND d.file_no = f.file_no
      AND NOT lacks_output(f.file_no, f.file_id, f.state);
END $$;

-- Reads a list of {fileId, readFrom, batchMarks, isLast, outputs}: the ledger that the outputs were made of, and the marks
-- of its batches if they were made of those too; whether nothing more is to be written; and the outputs, as in table
-- output.
CREATE FUNCTION read_made_outputs(p_files jsonb)
RETURNS TABLE (file_id text, read_from text, batch_marks text, is_last boolean, outputs jsonb)
LANGUAGE sql STABLE ROWS 20 AS $$
  SELECT r."fileId", r."readFrom", r."batchMarks", r."isLast", r.outputs
  FROM jsonb_to_recordset(p_files) AS r ("fileId" text, "readFrom" text, "batchMarks" text, "isLast" boolean, outputs jsonb)
$$;

-- The ledger that answers: the run of its server, and its tables. Another answers once the server was replaced or a backup
-- was put in place.
CREATE FUNCTION ledger_mark() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT pg_postmaster_start_time() || ' ' || to_regclass('file')::oid
$$;

-- What outputs say of the batches of a file, as one text.
CREATE FUNCTION batch_marks(p_file_id text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(string_agg(concat_ws(' ', b.batch_no, b.state, b.attempt, extract(epoch FROM b.result_at)), E'\n'
                             ORDER BY b.batch_no), '')
  FROM batch b WHERE b.file_id = p_file_id
$$;

-- Whether no batch of a file waits for anything.
CREATE FUNCTION has_ended(p_file_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM batch b WHERE b.file_id = p_file_id AND b.state NOT IN ('reconciled', 'cancelled'))
$$;
