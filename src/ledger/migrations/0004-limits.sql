-- Maker and checker: what one person proposes, another confirms or refuses.

CREATE TABLE proposal (
  proposal_no     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action          text NOT NULL,
  file_id         text NOT NULL REFERENCES file,
  batch_no        integer,
  binding         jsonb NOT NULL,
  reason          text NOT NULL,
  evidence        jsonb NOT NULL,
  made_by         text NOT NULL,
  made_at         timestamptz NOT NULL,
  checked_by      text,
  checked_at      timestamptz,
  verdict         text CHECK (verdict IN ('confirmed', 'refused', 'void')),
  CHECK ((verdict IS NULL) = (checked_by IS NULL) AND (verdict IS NULL) = (checked_at IS NULL)),
  -- Nobody both makes and checks, whatever a program says.
  CONSTRAINT two_persons CHECK (verdict IS DISTINCT FROM 'confirmed' OR checked_by <> made_by)
);
COMMENT ON COLUMN proposal.binding IS 'What it was made for: sha256, rows, cents, attempt. When one of them has changed, it is void.';
-- Two open proposals for one thing could contradict each other, and each would be confirmed for itself.
CREATE UNIQUE INDEX one_open_proposal ON proposal (file_id, coalesce(batch_no, 0)) WHERE verdict IS NULL;

-- Duplicates across files and unusual sizes.

ALTER TABLE file ADD COLUMN row_set text;
COMMENT ON COLUMN file.row_set IS 'Keyed mark of its valid rows in any order: the same for the same rows, however they are written.';
CREATE INDEX file_by_row_set ON file (account, row_set) WHERE row_set IS NOT NULL;
-- The files of a day, to compare their counts and totals.
CREATE INDEX file_by_claim ON file (account, claimed_at);
-- Rows that came before. Those without an invoice are not compared, and a withheld row has no fingerprint. Fingerprints
-- are random and only ever looked up whole: a hash index takes them in at a third of the cost of a tree.
CREATE INDEX payment_row_by_fingerprint ON payment_row USING hash (fingerprint)
  WHERE fingerprint IS NOT NULL AND invoice <> '';
