-- What a person is told about, and whether it has reached everybody who is to be told.

CREATE TABLE alarm (
  alarm_no        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind            text NOT NULL,
  subject         text NOT NULL,
  account         text,
  text            text NOT NULL,
  figures         jsonb NOT NULL,
  raised_at       timestamptz NOT NULL,
  cleared_at      timestamptz
);
COMMENT ON COLUMN alarm.subject IS 'What it is about: a file, a batch, an account, or a part of one host.';
COMMENT ON COLUMN alarm.figures IS 'Ids, counts and cents; never anything of a row.';
-- Raised once while it lasts, whoever sees it.
CREATE UNIQUE INDEX one_alarm_while_it_lasts ON alarm (kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alarm_by_subject ON alarm (kind, subject);

-- The outbox. A row is written in the transaction that raises or clears, so that nothing is forgotten on the way.
CREATE TABLE alarm_delivery (
  alarm_no        bigint NOT NULL REFERENCES alarm,
  event           text NOT NULL CHECK (event IN ('raised', 'cleared')),
  target          text NOT NULL,
  tries           integer NOT NULL DEFAULT 0,
  next_try_at     timestamptz NOT NULL,
  fault           text,
  ended_at        timestamptz,
  PRIMARY KEY (alarm_no, event, target)
);
COMMENT ON COLUMN alarm_delivery.target IS 'A mark of the address; the address itself may hold a secret.';
COMMENT ON COLUMN alarm_delivery.ended_at IS 'When it was delivered, or its target was taken out of the configuration (then fault says so).';
CREATE INDEX delivery_waiting ON alarm_delivery (target, next_try_at) WHERE ended_at IS NULL;

-- One row: since when alarms are looked for. What ended before is not told.
CREATE TABLE alarm_watch (
  is_only         boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  began_at        timestamptz NOT NULL
);
