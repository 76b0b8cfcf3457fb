-- A file, from its claim to its end.

CREATE TABLE file (
  file_no                  bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  file_id                  text COLLATE "C" PRIMARY KEY,
  account                  text COLLATE "C" NOT NULL,
  merchant_no              integer NOT NULL,
  meant_for                text,
  site                     text NOT NULL DEFAULT 'main',
  folder                   text COLLATE "C" NOT NULL,
  operation                text NOT NULL,
  layout                   text,
  charset                  text NOT NULL,
  profile_version          bigint REFERENCES profile_version,
  output_form              jsonb NOT NULL,
  name                     text NOT NULL,
  bytes                    bigint NOT NULL,
  sha256                   text COLLATE "C" NOT NULL,
  content_sha256           text COLLATE "C",
  completeness             text NOT NULL,
  control                  jsonb,
  archive                  text NOT NULL,
  seen_at                  timestamptz NOT NULL,
  claimed_at               timestamptz NOT NULL,
  aged_from                timestamptz,
  compared_from            timestamptz,
  state                    text COLLATE "C" NOT NULL,
  state_at                 timestamptz NOT NULL,
  known_at                 timestamptz NOT NULL,
  reason_code              text,
  reason                   text,
  fault_rules              jsonb,
  duplicate_of             text COLLATE "C" REFERENCES file,
  compared_to              bigint NOT NULL DEFAULT 0,
  accepted_at              timestamptz,
  header_line              integer,
  physical_lines           integer,
  blank_lines              integer,
  records                  integer,
  profile_lines            jsonb,
  valid_rows               integer,
  valid_cents              bigint,
  invalid_rows             integer,
  withheld_cents           bigint NOT NULL DEFAULT 0,
  withheld_unreadable      integer NOT NULL DEFAULT 0,
  archive_no               bigint,
  shredded_at              timestamptz,
  fingerprints_dropped_at  timestamptz,
  cleaning_no              bigint,
  CHECK (fingerprints_dropped_at IS NULL OR shredded_at IS NOT NULL),
  FOREIGN KEY (account, merchant_no) REFERENCES account (account, merchant_no) DEFERRABLE
);
COMMENT ON TABLE file IS
  'One row per claimed drop: where it came from, how it is read, its state, and the totals of its rows.';
COMMENT ON COLUMN file.file_no IS 'Order of the claims. Tables of rows refer to it because it is short.';
COMMENT ON COLUMN file.file_id IS 'Public id, drawn at random when the drop is claimed.';
COMMENT ON COLUMN file.account IS 'Present name of the account for which it was taken. It follows the configuration.';
COMMENT ON COLUMN file.merchant_no IS 'Who is charged, from the claim on and forever.';
COMMENT ON COLUMN file.meant_for IS
  'Account for which it was taken from its folder, or made of rows of another file, when that meant another merchant, country or currency than its account does; the file is then held. Null for all others.';
COMMENT ON COLUMN file.site IS
  'Host or site that claimed it: its sealed original lies there, and its outputs are written there.';
COMMENT ON COLUMN file.folder IS 'Drop folder of the configuration that it was taken from.';
COMMENT ON COLUMN file.operation IS 'What its rows are: card payments, bank payments or refunds.';
COMMENT ON COLUMN file.layout IS 'Layout of its columns; null with a profile and until the header was read.';
COMMENT ON COLUMN file.charset IS 'Character set in which its folder has it read.';
COMMENT ON COLUMN file.profile_version IS 'The version that reads it; null in a folder without a profile.';
COMMENT ON COLUMN file.output_form IS
  'Name, time zone, currency and settings "outputs" of the account when the file was taken. Its outputs are the same bytes whenever they are made, also after the settings changed.';
COMMENT ON COLUMN file.name IS 'Name that the drop had in its folder, long digit runs masked.';
COMMENT ON COLUMN file.bytes IS 'Size of the drop in bytes.';
COMMENT ON COLUMN file.sha256 IS 'SHA-256 of the drop as it came.';
COMMENT ON COLUMN file.content_sha256 IS
  'SHA-256 of what is inside an encrypted drop; null for others and until it was opened.';
COMMENT ON COLUMN file.completeness IS
  'How it was known to be complete: sidecar, marker or quiet, see COMPLETENESS in schemas/lifecycle.ts.';
COMMENT ON COLUMN file.control IS 'Totals of the control file: rows, totalCents, sha256; null when none came.';
COMMENT ON COLUMN file.archive IS 'Path of the sealed original below the archive folder.';
COMMENT ON COLUMN file.seen_at IS 'When it was first seen in its folder, or last modified if that is earlier.';
COMMENT ON COLUMN file.claimed_at IS 'When it was claimed, by the clock of the host.';
COMMENT ON COLUMN file.aged_from IS
  'When it came, by the latest of the clocks that were asked. A clock that is wrong must not make a payment too old to be found again. Null until it is decided.';
COMMENT ON COLUMN file.compared_from IS
  'Its rows repeat payments of files that came from then on, by the settings of its folder when it was decided. What was charged earlier is another payment. Null: whenever they came.';
COMMENT ON COLUMN file.compared_to IS
  'Newest forgotten call of its merchant that its rows were compared with (forgotten_send.call_order), by intake and the sweep; 0 when there was none. No batch of it leaves while there is a newer one.';
COMMENT ON COLUMN file.state IS 'State of a file in schemas/lifecycle.ts.';
COMMENT ON COLUMN file.state_at IS 'When it came into its state, by the clock of the host.';
COMMENT ON COLUMN file.known_at IS
  'When it came into its state, by the clock of the database. Retention counts from the later of the two.';
COMMENT ON COLUMN file.reason_code IS 'Why it was rejected or held; null otherwise.';
COMMENT ON COLUMN file.reason IS 'Why it was rejected or held, in words; null otherwise.';
COMMENT ON COLUMN file.fault_rules IS
  'What its folder and its profile made of some faults when it was decided. Its notice and the reasons of its hold say the same for ever, whatever the settings are by then. Null before, and for a file that was not read.';
COMMENT ON COLUMN file.duplicate_of IS 'The file with the same content that came before; null otherwise.';
COMMENT ON COLUMN file.accepted_at IS 'When it was accepted; the day report counts it from then on. Null before.';
COMMENT ON COLUMN file.header_line IS 'Line of the header; null until the file was decided, and in a file without one.';
COMMENT ON COLUMN file.physical_lines IS 'Lines of the file; null until it was decided.';
COMMENT ON COLUMN file.blank_lines IS 'Lines without content; null until the file was decided.';
COMMENT ON COLUMN file.records IS 'Rows of the file, valid or not; null until it was decided.';
COMMENT ON COLUMN file.profile_lines IS
  'Its lines by kind, and the rows left out with their sums; null without a profile.';
COMMENT ON COLUMN file.valid_rows IS 'Rows that are sent; null until the file was decided.';
COMMENT ON COLUMN file.valid_cents IS 'Sum of the valid rows, in cents; null until the file was decided.';
COMMENT ON COLUMN file.invalid_rows IS 'Rows that are withheld because of faults; null until the file was decided.';
COMMENT ON COLUMN file.withheld_cents IS
  'Sum of the withheld rows in cents, without amounts that cannot be read; 0 until the file was decided.';
COMMENT ON COLUMN file.withheld_unreadable IS
  'Number of withheld rows whose amount cannot be read; 0 until the file was decided.';
COMMENT ON COLUMN file.archive_no IS
  'Archive that holds its rows; null while they are here. From then on they count as gone from the ledger.';
COMMENT ON COLUMN file.shredded_at IS
  'When its data key was destroyed, by the clock of the host; null before. From then on nobody can open what was sealed with it.';
COMMENT ON COLUMN file.fingerprints_dropped_at IS
  'When the last fingerprint of its rows was deleted; they go in slices after the key. Null before.';
COMMENT ON COLUMN file.cleaning_no IS
  'The cleaning that removed its key and fingerprints from the files of the database; null before.';

CREATE TRIGGER legal_file_moves BEFORE INSERT OR UPDATE OF state ON file
  FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move('file');

CREATE TRIGGER merchant_kept BEFORE UPDATE OF merchant_no ON file
  FOR EACH ROW WHEN (OLD.merchant_no <> NEW.merchant_no) EXECUTE FUNCTION keep_merchant();

-- The same bytes are taken once per merchant. A rejected or cancelled file may come again.
CREATE UNIQUE INDEX one_content_per_merchant ON file (merchant_no, sha256)
  WHERE state IN ('accepted', 'held', 'in_progress', 'completed', 'partly_cancelled');
-- An encrypted file has other bytes each time, so its content counts as well, encrypted or not. The index above is
-- needed beside this one: a file that is held before it was opened has no content_sha256, and its bytes may come again.
CREATE UNIQUE INDEX one_inside_per_merchant ON file (merchant_no, (coalesce(content_sha256, sha256)))
  WHERE state IN ('accepted', 'held', 'in_progress', 'completed', 'partly_cancelled');

-- Notes when a file is accepted, in whichever way.
CREATE FUNCTION note_acceptance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state = 'accepted' AND OLD.state <> 'accepted' THEN NEW.accepted_at := NEW.state_at; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER noted_acceptance BEFORE UPDATE OF state ON file FOR EACH ROW EXECUTE FUNCTION note_acceptance();

-- Work that is due.
CREATE INDEX file_by_state ON file (state, state_at);
CREATE INDEX file_under_way ON file (account, file_no) WHERE state IN ('accepted', 'in_progress');
CREATE INDEX file_to_shred ON file (state_at) WHERE shredded_at IS NULL;
CREATE INDEX file_half_shredded ON file (file_no) WHERE shredded_at IS NOT NULL AND fingerprints_dropped_at IS NULL;
CREATE INDEX file_to_clean ON file (file_no) WHERE fingerprints_dropped_at IS NOT NULL AND cleaning_no IS NULL;
CREATE INDEX file_with_withheld_by_no ON file (file_no DESC) WHERE invalid_rows > 0;
CREATE INDEX file_with_withheld_by_claim ON file (claimed_at) WHERE invalid_rows > 0;

-- Lists and searches. Names compare bytes (text_pattern_ops), but lower() must know the letters of all languages.
CREATE INDEX file_by_account ON file (account, file_no);
CREATE INDEX file_by_account_and_state ON file (account, state);
CREATE INDEX file_by_acceptance ON file (account, accepted_at) WHERE accepted_at IS NOT NULL;
CREATE INDEX file_by_amount ON file ((coalesce(valid_cents, 0)), file_no);
CREATE INDEX file_by_claim ON file (account, claimed_at);
CREATE INDEX file_by_duplicate ON file (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX file_by_folder ON file (folder, accepted_at, file_no);
CREATE INDEX file_by_lower_name ON file ((lower(name) COLLATE "C"), file_no);
CREATE INDEX file_by_merchant ON file (merchant_no, file_no);
CREATE INDEX file_by_merchant_and_claim ON file (merchant_no, claimed_at);
CREATE INDEX file_by_name ON file (merchant_no, name text_pattern_ops);
CREATE INDEX file_by_name_start ON file (lower(name) text_pattern_ops);
CREATE INDEX file_by_name_in_all_accounts ON file (name text_pattern_ops);
CREATE INDEX file_by_time ON file (claimed_at);

-- What is destroyed at the end stands in a narrow table. PostgreSQL keeps deleted rows in its files until a table is
-- rewritten; this one is rewritten in moments, and no call to the service waits for it.
CREATE TABLE file_secret (
  file_id      text COLLATE "C" PRIMARY KEY REFERENCES file,
  wrapped_key  bytea NOT NULL,
  content_key  bytea,
  row_set      text COLLATE "C"
);
COMMENT ON TABLE file_secret IS
  'The key of each file, and a mark from which its numbers could be guessed. Deleted when the retention of the file ends.';
COMMENT ON COLUMN file_secret.file_id IS 'The file whose key it is.';
COMMENT ON COLUMN file_secret.wrapped_key IS 'Data key of the file, wrapped by the master key.';
COMMENT ON COLUMN file_secret.content_key IS
  'Session key of the message of an encrypted drop, sealed with the data key of the file; null for others.';
COMMENT ON COLUMN file_secret.row_set IS
  'Keyed mark of its valid rows in any order: the same for the same rows, however they are written. Null until the file was decided, and without valid rows.';

-- Statistics of the planner are copies of values. It needs none of these, which are found by a key or by being equal.
ALTER TABLE file_secret
  ALTER COLUMN wrapped_key SET STATISTICS 0,
  ALTER COLUMN content_key SET STATISTICS 0,
  ALTER COLUMN row_set SET STATISTICS 0;
CREATE INDEX file_secret_by_row_set ON file_secret (row_set) WHERE row_set IS NOT NULL;
CREATE TRIGGER no_retired_key BEFORE INSERT OR UPDATE OF wrapped_key ON file_secret
  FOR EACH ROW EXECUTE FUNCTION refuse_retired_key();

-- A destroyed key stays destroyed, and nothing is called destroyed while its key is there.
CREATE FUNCTION refuse_key_after_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'file_secret' THEN
    IF EXISTS (SELECT 1 FROM file f WHERE f.file_id = NEW.file_id AND f.shredded_at IS NOT NULL) THEN
      RAISE EXCEPTION 'the key of file % was destroyed', NEW.file_id USING ERRCODE = 'PD002';
    END IF;
  ELSIF NEW.shredded_at IS NULL OR EXISTS (SELECT 1 FROM file_secret s WHERE s.file_id = NEW.file_id) THEN
    RAISE EXCEPTION 'the key of file % is destroyed by deleting it, for good', NEW.file_id USING ERRCODE = 'PD002';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER destroyed_for_good BEFORE INSERT OR UPDATE OF wrapped_key ON file_secret
  FOR EACH ROW EXECUTE FUNCTION refuse_key_after_end();
CREATE TRIGGER destroyed_for_good BEFORE UPDATE OF shredded_at ON file
  FOR EACH ROW WHEN (OLD.shredded_at IS DISTINCT FROM NEW.shredded_at) EXECUTE FUNCTION refuse_key_after_end();

-- What came of a file after it was taken. While a difference waits for a person, no batch of the file leaves (gate.sql).
CREATE TABLE late_arrival (
  late_no          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file_id          text COLLATE "C" NOT NULL REFERENCES file,
  kind             text COLLATE "C" NOT NULL CHECK (kind IN ('bytes', 'control')),
  bytes            bigint NOT NULL,
  sha256           text COLLATE "C" NOT NULL,
  archive          text,
  says             text,
  found_at         timestamptz NOT NULL,
  acknowledged_at  timestamptz,
  UNIQUE (file_id, kind, sha256)
);
COMMENT ON TABLE late_arrival IS
  'Bytes that were written into a file after it was taken, and control files that came after it. None of it is sent.';
COMMENT ON COLUMN late_arrival.late_no IS 'Order in which they were found.';
COMMENT ON COLUMN late_arrival.file_id IS 'The file that was taken before.';
COMMENT ON COLUMN late_arrival.kind IS 'bytes: written into the file. control: a control file.';
COMMENT ON COLUMN late_arrival.bytes IS 'Size of what came.';
COMMENT ON COLUMN late_arrival.sha256 IS 'SHA-256 of what came.';
COMMENT ON COLUMN late_arrival.archive IS
  'Path of the sealed bytes below the archive folder; null for a control file, and where nothing may be kept.';
COMMENT ON COLUMN late_arrival.says IS 'How it differs from what was taken; null when it agrees.';
COMMENT ON COLUMN late_arrival.found_at IS 'When it was found, by the clock of the host.';
COMMENT ON COLUMN late_arrival.acknowledged_at IS 'When a person decided about it; null before.';

CREATE INDEX late_arrival_open ON late_arrival (file_id) WHERE says IS NOT NULL AND acknowledged_at IS NULL;

-- == Functions ==

-- Records files that were taken out of their folders and sealed, one or many, in this order. Each is bound to the merchant
-- that its account means now; one whose account the process and the ledger do not mean alike is left out, and one that is
-- known stays as it is. This also ends the count of their readings.
-- p_bound: as in is_bound. p_files: as in read_claims. Returns those that are new, and whether a resubmission or an upload
-- may have made them.
CREATE FUNCTION commit_claims(p_at timestamptz, p_database_now timestamptz, p_bound text[], p_files jsonb)
RETURNS TABLE (file_id text, may_be_resubmitted boolean, may_be_uploaded boolean)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM reading r USING read_claims(p_files) c WHERE r.file_id = c.file_id;
  RETURN QUERY
    WITH taken AS (
      INSERT INTO file (file_id, account, folder, operation, name, state, state_at, bytes, sha256, completeness, claimed_at,
                        archive, charset, control, site, profile_version, seen_at, output_form, known_at, merchant_no, meant_for)
      SELECT c.file_id, a.account, c.folder, c.operation, c.name, 'claimed', p_at, c.bytes, c.sha256, c.completeness, c.claimed_at,
             c.archive, c.charset, c.control, c.site, c.profile_version, c.seen_at, c.output_form, p_database_now, a.merchant_no,
             CASE WHEN c.merchant IS NOT NULL AND NOT EXISTS (
               SELECT FROM merchant_address p WHERE p.merchant_no = a.merchant_no
                 AND concat_ws(' ', p.mark, a.country, a.currency) = c.merchant) THEN c.taken_for END
      FROM read_claims(p_files) c JOIN account a ON a.account = c.account AND is_bound(a.account, p_bound)
      ORDER BY c.place
      ON CONFLICT (file_id) DO NOTHING RETURNING file_id),
    secret AS (
      INSERT INTO file_secret (file_id, wrapped_key)
        SELECT c.file_id, c.wrapped_key FROM read_claims(p_files) c WHERE c.file_id IN (SELECT t.file_id FROM taken t))
    SELECT c.file_id,
           EXISTS (SELECT FROM resubmission s WHERE s.sha256 = c.sha256 AND s.new_file_id IS NULL),
           EXISTS (SELECT FROM upload u WHERE u.folder = c.folder AND u.sha256 = c.sha256 AND u.file_id IS NULL)
    FROM read_claims(p_files) c WHERE c.file_id IN (SELECT t.file_id FROM taken t) ORDER BY c.place;
END $$;

-- Reads a list of files, named as the columns of table file: whom its account meant when it was taken, its name then, and
-- its data key, wrapped by the master key, in base64.
CREATE FUNCTION read_claims(p_files jsonb)
RETURNS TABLE (place integer, file_id text, account text, taken_for text, merchant text, site text, folder text, operation text,
               name text, bytes bigint, sha256 text, completeness text, claimed_at timestamptz, seen_at timestamptz,
               wrapped_key bytea, archive text, charset text, control jsonb, profile_version bigint, output_form jsonb)
LANGUAGE sql STABLE ROWS 20 AS $$
  SELECT r.ordinality::integer, r."fileId", r.account, r."takenFor", r.merchant, r.site, r.folder, r.operation, r.name, r.bytes,
         r.sha256, r.completeness, r."claimedAt", r."seenAt", decode(r."wrappedKey", 'base64'), r.archive, r.charset, r.control,
         r."profileVersion", r."outputForm"
  FROM ROWS FROM (jsonb_to_recordset(p_files) AS (
    "fileId" text, account text, "takenFor" text, merchant text, site text, folder text, operation text, name text, bytes bigint,
    sha256 text, completeness text, "claimedAt" timestamptz, "seenAt" timestamptz, "wrappedKey" text, archive text, charset text,
    control jsonb, "profileVersion" bigint, "outputForm" jsonb)) WITH ORDINALITY r
$$;
