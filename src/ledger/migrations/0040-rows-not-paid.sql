-- Rows that were not paid and may be sent again, the newest file first. Paid rows are not in these indexes and cost
-- nothing. Outcome and code are included, so that looking for one advice does not read the rows of the others.
CREATE INDEX row_outcome_not_paid ON row_outcome (file_no DESC, line) INCLUDE (outcome, code)
  WHERE outcome IN ('declined', 'format_error', 'not_charged');
CREATE INDEX row_change_not_paid ON row_change (file_no DESC, line) INCLUDE (correction_no, outcome, code)
  WHERE outcome IN ('declined', 'format_error', 'not_charged');
