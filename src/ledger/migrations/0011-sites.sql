-- Where a file was claimed: its sealed original lies there, and its outputs are written there.
ALTER TABLE file ADD COLUMN site text NOT NULL DEFAULT 'main';
