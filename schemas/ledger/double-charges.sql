-- Pairs of rows that may be one payment: one of them was charged, or may have been, after the other was checked.

CREATE TABLE double_charge (
  later_no            bigint NOT NULL,
  later_line          integer NOT NULL,
  earlier_no          bigint NOT NULL,
  earlier_line        integer NOT NULL,
  account             text COLLATE "C" NOT NULL,
  is_same             boolean NOT NULL,
  source              text NOT NULL,
  found_at            timestamptz NOT NULL,
  released_at         timestamptz,
  released_by         text,
  release_reason      text,
  acknowledged_at     timestamptz,
  acknowledged_by     text,
  acknowledge_reason  text,
  PRIMARY KEY (later_no, later_line, earlier_no, earlier_line),
  CHECK (earlier_no < later_no),
  CHECK (num_nonnulls(released_at, released_by, release_reason) IN (0, 3)),
  CHECK (num_nonnulls(acknowledged_at, acknowledged_by, acknowledge_reason) IN (0, 3))
);
COMMENT ON TABLE double_charge IS
  'Pairs of rows of different files that may be one payment. Found when an outcome became known late, when a held file was approved, or at the close of a day. Whether both were charged follows from their outcomes.';
COMMENT ON COLUMN double_charge.later_no IS 'The file that was claimed later.';
COMMENT ON COLUMN double_charge.later_line IS 'Line of its row.';
COMMENT ON COLUMN double_charge.earlier_no IS 'The file that was claimed earlier.';
COMMENT ON COLUMN double_charge.earlier_line IS 'Line of its row.';
COMMENT ON COLUMN double_charge.account IS 'Present name of the account of the file that was claimed later.';
COMMENT ON COLUMN double_charge.is_same IS
  'Invoice, payer and amount are equal to the letter; otherwise they are alike.';
COMMENT ON COLUMN double_charge.source IS 'How the charge became known.';
COMMENT ON COLUMN double_charge.found_at IS 'When the pair was found first, by the clock of the host.';
COMMENT ON COLUMN double_charge.released_at IS
  'When a user released the batch that waited because of it; null before. New knowledge about one of the rows makes it null again.';
COMMENT ON COLUMN double_charge.released_by IS 'That user; null before.';
COMMENT ON COLUMN double_charge.release_reason IS 'Why, in the words of that user; null before.';
COMMENT ON COLUMN double_charge.acknowledged_at IS
  'When a user confirmed to have looked at two charges of one payment; null before. New knowledge makes it null again.';
COMMENT ON COLUMN double_charge.acknowledged_by IS 'That user; null before.';
COMMENT ON COLUMN double_charge.acknowledge_reason IS 'Why, in the words of that user; null before.';

-- Found from either row; those that nobody has looked at are few.
CREATE INDEX double_charge_by_earlier ON double_charge (earlier_no, earlier_line);
CREATE INDEX double_charge_open ON double_charge (account) WHERE acknowledged_at IS NULL;

CREATE VIEW double_side AS
  SELECT later_no AS file_no, later_line AS line, earlier_no AS other_no, earlier_line AS other_line,
         account, is_same, source, found_at, released_at, released_by, release_reason,
         acknowledged_at, acknowledged_by, acknowledge_reason FROM double_charge
  UNION ALL
  SELECT earlier_no, earlier_line, later_no, later_line,
         account, is_same, source, found_at, released_at, released_by, release_reason,
         acknowledged_at, acknowledged_by, acknowledge_reason FROM double_charge;
COMMENT ON VIEW double_side IS 'Each pair as seen from each of its rows.';
COMMENT ON COLUMN double_side.file_no IS 'File of the row.';
COMMENT ON COLUMN double_side.line IS 'Physical line of the row, from 1.';
COMMENT ON COLUMN double_side.other_no IS 'File of the row beside it.';
COMMENT ON COLUMN double_side.other_line IS 'Line of the row beside it.';
COMMENT ON COLUMN double_side.account IS 'As double_charge.account.';
COMMENT ON COLUMN double_side.is_same IS 'As double_charge.is_same.';
COMMENT ON COLUMN double_side.source IS 'As double_charge.source.';
COMMENT ON COLUMN double_side.found_at IS 'As double_charge.found_at.';
COMMENT ON COLUMN double_side.released_at IS 'As double_charge.released_at.';
COMMENT ON COLUMN double_side.released_by IS 'As double_charge.released_by.';
COMMENT ON COLUMN double_side.release_reason IS 'As double_charge.release_reason.';
COMMENT ON COLUMN double_side.acknowledged_at IS 'As double_charge.acknowledged_at.';
COMMENT ON COLUMN double_side.acknowledged_by IS 'As double_charge.acknowledged_by.';
COMMENT ON COLUMN double_side.acknowledge_reason IS 'As double_charge.acknowledge_reason.';
