-- Lists of the dashboard that sort, and what each user keeps about them.
ALTER TABLE person ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN person.settings IS 'How pages look for this user: zone, density, theme, first page. What is missing is as for all.';

CREATE TABLE desk_view (
  view_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person     text NOT NULL REFERENCES person,
  page       text NOT NULL,
  name       text NOT NULL,
  query      text NOT NULL,
  is_shared  boolean NOT NULL,
  made_at    timestamptz NOT NULL,
  UNIQUE (person, page, name)
);
COMMENT ON TABLE desk_view IS 'Filters and orders of lists that users keep by a name.';
COMMENT ON COLUMN desk_view.page IS 'Name of the list.';
COMMENT ON COLUMN desk_view.query IS 'As in the address of the page, which reads it like any other.';
CREATE INDEX shared_view ON desk_view (page) WHERE is_shared;

-- Counts of the tabs above the list of files.
CREATE INDEX file_by_account_and_state ON file (account, state);

-- The orders of that list; the number decides between equal ones.
CREATE INDEX file_by_amount ON file ((coalesce(valid_cents, 0)), file_no);
CREATE INDEX file_by_lower_name ON file ((lower(name)), file_no);
CREATE INDEX file_by_account ON file (account, file_no);
