-- Prints are made of invoice and payer as they are when case, blanks, punctuation and leading zeros do not count, and begin with
-- a half for invoice and amount alone. Prints of before had another form and are not found any more.
COMMENT ON COLUMN row_print.print IS 'Half of invoice and amount, two bits for the kind of payer, and 30 of invoice, payer and amount.';
