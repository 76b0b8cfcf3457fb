-- Who is charged. A merchant is an agent code at a service: what the service itself knows as one account. An account is
-- our name for a merchant, in paydrop.yaml, and may be changed there; all checks of what was sent go by the merchant.

CREATE TABLE merchant (
  merchant_no  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chain        text COLLATE "C" NOT NULL UNIQUE CHECK (chain <> ''),
  agent_mark   text COLLATE "C",
  is_sandbox   boolean,
  since        timestamptz NOT NULL
);
COMMENT ON TABLE merchant IS 'An agent code at a service. Duplicates, calls, batch ids and doubts are those of a merchant.';
COMMENT ON COLUMN merchant.merchant_no IS 'Number within this ledger.';
COMMENT ON COLUMN merchant.chain IS 'Its chain of the audit trail: the account by which it was first known, numbered if that was taken.';
COMMENT ON COLUMN merchant.agent_mark IS
  'Keyed hash of server and agent code, at whatever address; null when only a send journal knows the merchant.';
COMMENT ON COLUMN merchant.since IS 'When it was first known, by the clock of the host.';
COMMENT ON COLUMN merchant.is_sandbox IS
  'Whether its service says that it is a sandbox, where nothing is charged; null while it has never answered. Once it has, this stays: an address that says otherwise later is reached as another merchant.';

CREATE TABLE merchant_address (
  mark         text COLLATE "C" PRIMARY KEY,
  merchant_no  integer NOT NULL REFERENCES merchant,
  server       text,
  address      text,
  since        timestamptz NOT NULL,
  actor        text NOT NULL,
  reason       text NOT NULL
);
COMMENT ON TABLE merchant_address IS
  'Where a merchant was reached. An agent code at another address is another merchant until a user says that the service moved.';
COMMENT ON COLUMN merchant_address.mark IS
  'Keyed hash of server, address and agent code, and of whether the service there says that it is a sandbox; each line of the send journal has it.';
COMMENT ON COLUMN merchant_address.merchant_no IS 'The merchant that is reached there.';
COMMENT ON COLUMN merchant_address.server IS 'Server of the service, NA or UK; null when only a send journal knows it.';
COMMENT ON COLUMN merchant_address.address IS 'URL of the service; null when only a send journal knows it.';
COMMENT ON COLUMN merchant_address.since IS 'When it was recorded, by the clock of the host.';
COMMENT ON COLUMN merchant_address.reason IS 'Why, in the words of that user.';
COMMENT ON COLUMN merchant_address.actor IS 'Who said that the service there is this merchant''s: system, or a user who was asked.';

CREATE TABLE account (
  account      text COLLATE "C" PRIMARY KEY,
  merchant_no  integer NOT NULL REFERENCES merchant,
  country      text NOT NULL,
  currency     text NOT NULL,
  since        timestamptz NOT NULL,
  former_name  text COLLATE "C",
  UNIQUE (account, merchant_no)
);
COMMENT ON TABLE account IS
  'What each name of paydrop.yaml means: a merchant, with the country and the currency in which files are taken for it. When a name comes to mean another, what was taken before gets a name of its own, which no configuration can have, and stays where it is.';
COMMENT ON COLUMN account.account IS
  'Name in paydrop.yaml; or such a name, a dot and a number, for work that was taken when the name meant something else.';
COMMENT ON COLUMN account.merchant_no IS 'Who is charged.';
COMMENT ON COLUMN account.country IS 'Country for which its files are checked.';
COMMENT ON COLUMN account.currency IS 'Currency of its amounts.';
COMMENT ON COLUMN account.since IS 'Since when the name means this, by the clock of the host.';
COMMENT ON COLUMN account.former_name IS 'Name under which it was known before; null if it never had another.';

CREATE TABLE address_question (
  account      text COLLATE "C" PRIMARY KEY,
  mark         text COLLATE "C" NOT NULL,
  merchant_no  integer NOT NULL REFERENCES merchant,
  server       text NOT NULL,
  address      text NOT NULL,
  is_sandbox   boolean NOT NULL,
  country      text NOT NULL,
  currency     text NOT NULL,
  asked_at     timestamptz NOT NULL
);
COMMENT ON TABLE address_question IS
  'Accounts whose agent code is known at another address. Until a user says whether the service moved or is another one, nothing of them is taken or sent.';
COMMENT ON COLUMN address_question.account IS 'The account that is asked about.';
COMMENT ON COLUMN address_question.mark IS 'Keyed hash of server, new address and agent code.';
COMMENT ON COLUMN address_question.merchant_no IS 'The merchant that the agent code was at the other address.';
COMMENT ON COLUMN address_question.address IS 'The address that is new.';
COMMENT ON COLUMN address_question.is_sandbox IS 'Whether the service there says that it is a sandbox.';
COMMENT ON COLUMN address_question.server IS 'Server of the service in the configuration.';
COMMENT ON COLUMN address_question.country IS 'What the configuration says of the account.';
COMMENT ON COLUMN address_question.currency IS 'What the configuration says of the account.';
COMMENT ON COLUMN address_question.asked_at IS 'When it was asked, by the clock of the host.';

-- What was taken for a merchant stays with it.
CREATE FUNCTION keep_merchant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what was taken for one merchant cannot become another''s' USING ERRCODE = 'PD002';
END $$;

-- == Functions ==

-- The merchant that an account means. Every comparison with what was taken or sent before is made by it.
CREATE FUNCTION merchant_of(p_account text) RETURNS integer
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN (SELECT a.merchant_no FROM account a WHERE a.account = p_account);
END $$;

-- Whether an account means what the caller's configuration says. `p_bound` holds what it says of each of its accounts:
-- name, merchant, country and currency (src/ledger/merchant/bound-accounts.ts).
CREATE FUNCTION is_bound(p_account text, p_bound text[]) RETURNS boolean
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM account a WHERE a.account = p_account
    AND concat_ws(' ', a.account, a.merchant_no, a.country, a.currency) = ANY (p_bound));
END $$;
