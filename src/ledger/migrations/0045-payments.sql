-- A payment over all its tries, and the newest payments that were not made.

-- The rows of a new file stand in the order of the old one. So the place of a row in it leads from either to the other.
ALTER TABLE resubmitted_row ADD COLUMN place integer;
COMMENT ON COLUMN resubmitted_row.place IS 'Place of the row in the new file, counted from 1.';
UPDATE resubmitted_row r SET place = p.place
FROM (SELECT file_no, line, row_number() OVER (PARTITION BY resubmission_no ORDER BY line) AS place FROM resubmitted_row) p
WHERE r.file_no = p.file_no AND r.line = p.line;
ALTER TABLE resubmitted_row ALTER COLUMN place SET NOT NULL, ADD UNIQUE (resubmission_no, place);

-- The faults of one row; a file may have a million of others.
CREATE INDEX row_fault_by_line ON row_fault (file_no, line);

-- Payments that are listed although they may not be sent again, beside the indexes of 0040 of those that may.
CREATE INDEX row_outcome_uncertain ON row_outcome (file_no DESC, line) INCLUDE (outcome, code)
  WHERE outcome IN ('duplicate', 'unknown');
CREATE INDEX row_change_uncertain ON row_change (file_no DESC, line) INCLUDE (correction_no, outcome, code)
  WHERE outcome IN ('duplicate', 'unknown');
CREATE INDEX file_with_withheld ON file (file_no DESC) WHERE invalid_rows > 0;
