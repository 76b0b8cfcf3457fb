-- Search by the beginning of an invoice, in any case. It takes the place of the exact index, so a row still enters one.
DROP INDEX payment_row_by_invoice;
CREATE INDEX payment_row_by_invoice_start ON payment_row (lower(invoice) text_pattern_ops);

-- The same for names of files, and the files of a range of days. A file enters each once.
CREATE INDEX file_by_name_start ON file (lower(name) text_pattern_ops);
CREATE INDEX file_by_time ON file (claimed_at);
