/**
 * The tables of the durable peer. A body does not compress in base64, so it is stored as it is. Outcomes are written
 * into the rows later, so pages leave room for them.
 */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS file (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    open_batches int NOT NULL DEFAULT 0,
    delivered_at timestamptz
  );
  CREATE TABLE IF NOT EXISTS batch (
    file bigint NOT NULL REFERENCES file,
    no int NOT NULL,
    state text NOT NULL CHECK (state IN ('ready', 'sending', 'submitted', 'done')),
    first_line int NOT NULL,
    last_line int NOT NULL,
    body text STORAGE EXTERNAL NOT NULL,
    batch_id text,
    PRIMARY KEY (file, no)
  );
  CREATE TABLE IF NOT EXISTS payment (
    file bigint NOT NULL,
    line int NOT NULL,
    invoice text NOT NULL,
    cents bigint NOT NULL,
    paid_on text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    street text NOT NULL,
    city text NOT NULL,
    state text NOT NULL,
    zip_code text NOT NULL,
    mop text NOT NULL,
    masked_number text NOT NULL,
    expiry text NOT NULL,
    outcome text,
    message text,
    PRIMARY KEY (file, line)
  );
  CREATE INDEX IF NOT EXISTS payment_invoice ON payment (invoice);
  CREATE TABLE IF NOT EXISTS reject (
    file bigint NOT NULL REFERENCES file,
    line int NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (file, line)
  );
`;
