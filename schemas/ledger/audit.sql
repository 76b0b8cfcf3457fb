-- The audit trail. Each merchant has a chain of links, and what concerns none has another, so that moves of different
-- merchants do not wait for each other.

CREATE TABLE audit (
  seq         bigint PRIMARY KEY,
  at          timestamptz NOT NULL,
  actor       text NOT NULL,
  file_id     text COLLATE "C",
  batch_no    integer,
  move        text COLLATE "C" NOT NULL,
  from_state  text,
  to_state    text,
  reason      text NOT NULL,
  evidence    jsonb NOT NULL,
  previous    bytea NOT NULL,
  hash        bytea NOT NULL,
  chain       text NOT NULL,
  link_no     bigint NOT NULL
);
COMMENT ON TABLE audit IS
  'The audit trail: one link per change of state or action, chained by hashes. Written once.';
COMMENT ON COLUMN audit.seq IS
  'The order that people see. It has gaps, and a smaller one may appear after a larger one: see audit_settled.';
COMMENT ON COLUMN audit.at IS 'When it was decided, by the clock of the host.';
COMMENT ON COLUMN audit.actor IS 'worker:, operator: or system: and a name.';
COMMENT ON COLUMN audit.file_id IS 'The file; null when it concerns none.';
COMMENT ON COLUMN audit.batch_no IS 'Number of the batch in its file; null when it concerns no batch.';
COMMENT ON COLUMN audit.move IS
  'Name of the transition in schemas/lifecycle.ts, or of another action, such as late-answer.';
COMMENT ON COLUMN audit.from_state IS
  'State before the transition; null when it made something, and for other actions.';
COMMENT ON COLUMN audit.to_state IS 'State after the transition; null for other actions.';
COMMENT ON COLUMN audit.reason IS 'Why, in words, without numbers of cards or accounts.';
COMMENT ON COLUMN audit.evidence IS 'What the decision rests on, without numbers of cards or accounts.';
COMMENT ON COLUMN audit.previous IS 'Hash of the link before it in its chain.';
COMMENT ON COLUMN audit.hash IS 'SHA-256 of `previous` and the fields of this link, see audit_link_hash.';
COMMENT ON COLUMN audit.chain IS 'Chain of the merchant that it belongs to (merchant.chain); empty for the chain of the installation.';
COMMENT ON COLUMN audit.link_no IS 'Place in its chain, from 1 and without a gap.';

CREATE INDEX audit_by_file ON audit (file_id, seq);
CREATE INDEX audit_by_move ON audit (move);
CREATE INDEX audit_by_time ON audit USING brin (at);
-- Users do little beside the workers. Their links have an index of their own, which costs the workers nothing.
CREATE INDEX audit_by_person ON audit (actor text_pattern_ops, seq) WHERE starts_with(actor, 'operator:');
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_chain (
  chain    text COLLATE "C" PRIMARY KEY,
  link_no  bigint NOT NULL,
  seq      bigint,
  hash     bytea NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE audit_chain IS 'The end of each chain. Signed roots in the trail name all of them.';
COMMENT ON COLUMN audit_chain.chain IS 'As audit.chain.';
COMMENT ON COLUMN audit_chain.link_no IS 'Place of the newest link; 0 before the first.';
COMMENT ON COLUMN audit_chain.seq IS 'Number of the newest link in audit; null before the first.';
COMMENT ON COLUMN audit_chain.hash IS
  'Hash of the newest link, which the next one carries as `previous`; one zero byte before the first.';

-- Set to 0 as a value that was taken, so that the last one is known before the first link; the first link gets 1.
CREATE SEQUENCE audit_seq MINVALUE 0 START 1 OWNED BY audit.seq;
SELECT setval('audit_seq', 0);

-- == Functions ==

-- Appends the links of a transaction in their order, last in it (src/ledger/engine/transaction.ts). Each chain is locked
-- and moved on once, however many links it gets. A restore puts other tables in the place of these, so no variable has the
-- type of one.
-- p_links: a list of {actor, fileId, batchNo, move, from, to, reason, evidence, isTimed}.
CREATE FUNCTION append_audit(p_at timestamptz, p_database_now timestamptz, p_links jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  link record;
  link_chains text[];
  chains text[];
  ends bigint[];
  end_hashes bytea[];
  end_seqs bigint[];
  head integer;
  seqs bigint[] := '{}';
  numbers bigint[] := '{}';
  before bytea[] := '{}';
  hashes bytea[] := '{}';
BEGIN
  -- Their chains are looked up here only. What is not asked of read_audit_links, it does not look up.
  link_chains := ARRAY(SELECT l.chain FROM read_audit_links(p_database_now, p_links) l ORDER BY l.place);
  SELECT array_agg(c.chain), array_agg(c.link_no), array_agg(c.hash) INTO chains, ends, end_hashes
    FROM lock_audit_chains(link_chains) c;
  end_seqs := array_fill(NULL::bigint, ARRAY[cardinality(chains)]);
  PERFORM hold_audit_end();
  FOR link IN SELECT l.place, l.actor, l.file_id, l.batch_no, l.move, l.from_state, l.to_state, l.reason, l.evidence
    FROM read_audit_links(p_database_now, p_links) l
  LOOP
    head := array_position(chains, link_chains[link.place]);
    ends[head] := ends[head] + 1;
    end_seqs[head] := nextval('audit_seq');
    seqs := seqs || end_seqs[head];
    numbers := numbers || ends[head];
    before := before || end_hashes[head];
    end_hashes[head] := audit_link_hash(end_hashes[head], chains[head], ends[head], end_seqs[head], p_at, link.actor,
                                        link.file_id, link.batch_no, link.move, link.from_state, link.to_state,
                                        link.reason, link.evidence);
    hashes := hashes || end_hashes[head];
  END LOOP;
  INSERT INTO audit (seq, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence, previous, hash,
                     chain, link_no)
    SELECT seqs[l.place], p_at, l.actor, l.file_id, l.batch_no, l.move, l.from_state, l.to_state, l.reason, l.evidence,
           before[l.place], hashes[l.place], link_chains[l.place], numbers[l.place]
    FROM read_audit_links(p_database_now, p_links) l;
  UPDATE audit_chain c SET link_no = moved.link_no, seq = moved.seq, hash = moved.hash
    FROM unnest(chains, ends, end_seqs, end_hashes) AS moved (chain, link_no, seq, hash) WHERE c.chain = moved.chain;
END $$;

-- Locks the ends of chains until the transaction is over. Without the lock, two transactions would follow the same
-- predecessor. All processes lock them in one order, so that two transactions never wait for each other.
CREATE FUNCTION lock_audit_chains(p_chains text[]) RETURNS TABLE (chain text, link_no bigint, hash bytea)
LANGUAGE plpgsql AS $$
BEGIN
  FOR chain IN SELECT DISTINCT c COLLATE "C" FROM unnest(p_chains) c ORDER BY 1 LOOP
    SELECT c.link_no, c.hash INTO link_no, hash FROM audit_chain c WHERE c.chain = lock_audit_chains.chain FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO audit_chain AS c (chain, link_no, seq, hash) VALUES (lock_audit_chains.chain, 0, NULL, '\x00') ON CONFLICT DO NOTHING;
      SELECT c.link_no, c.hash INTO STRICT link_no, hash FROM audit_chain c WHERE c.chain = lock_audit_chains.chain FOR UPDATE;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Returns the links in their order, each with its chain and without its place in it. What is timed gets the time of the
-- database into its evidence. The chain is that of the merchant of the file, else of the account that was named; a name
-- without a merchant has its own. A function of its own for the chain would be called for each link, which takes longer than
-- to look it up.
CREATE FUNCTION read_audit_links(p_database_now timestamptz, p_links jsonb)
RETURNS TABLE (place bigint, actor text, file_id text, batch_no integer, move text, from_state text, to_state text,
               reason text, evidence jsonb, chain text)
LANGUAGE sql STABLE AS $$
  SELECT l.ordinality, l.actor, l."fileId", l."batchNo", l.move, l."from", l."to", l.reason,
         CASE WHEN l."isTimed" THEN l.evidence || jsonb_build_object('databaseAt', p_database_now) ELSE l.evidence END,
         coalesce(
           (SELECT m.chain FROM file f JOIN merchant m USING (merchant_no) WHERE f.file_id = l."fileId"),
           (SELECT m.chain FROM account a JOIN merchant m USING (merchant_no) WHERE a.account = named.account),
           nullif(named.account, '*'), '')
  FROM ROWS FROM (jsonb_to_recordset(p_links) AS (
    actor text, "fileId" text, "batchNo" integer, move text, "from" text, "to" text, reason text, evidence jsonb,
    "isTimed" boolean)) WITH ORDINALITY l
  CROSS JOIN LATERAL (SELECT CASE jsonb_typeof(l.evidence->'account') WHEN 'string' THEN l.evidence->>'account' END) AS named (account)
  ORDER BY l.ordinality
$$;

-- JSON of the fields keeps them apart: no two different links read the same. The place makes a link fit nowhere else.
CREATE FUNCTION audit_link_hash(
  p_previous bytea, p_chain text, p_link_no bigint, p_seq bigint, p_at timestamptz, p_actor text, p_file_id text,
  p_batch_no integer, p_move text, p_from text, p_to text, p_reason text, p_evidence jsonb
) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(p_previous || convert_to(jsonb_build_array(
    p_chain, p_link_no, p_seq, extract(epoch FROM p_at), p_actor, p_file_id, p_batch_no, p_move, p_from, p_to, p_reason,
    p_evidence
  )::text, 'UTF8'))
$$;

-- Announces, before this transaction takes its first number, that all its numbers will be above the last one taken. It
-- takes one advisory lock, whose key is that number plus 7003 * 2^32: 7003 is our namespace of these locks, and the
-- number may grow to 2^42, which ends at 8026 * 2^32. PostgreSQL lists the halves of a key as classid and objid.
CREATE FUNCTION hold_audit_end() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last_seq bigint;
BEGIN
  IF coalesce(current_setting('paydrop.audit_held', true), '') <> '' THEN RETURN; END IF;
  last_seq := coalesce(pg_sequence_last_value('audit_seq'), 0);
  PERFORM pg_advisory_xact_lock_shared((7003::bigint << 32) + last_seq);
  PERFORM set_config('paydrop.audit_held', 'on', true);
END $$;

-- Returns a number up to which the trail no longer changes: every link up to it is visible to a statement that begins
-- later. The number is read before the locks. A transaction that has taken a smaller one either still holds its lock, or
-- is over and its links can be seen.
CREATE FUNCTION audit_settled() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  last_seq bigint := coalesce(pg_sequence_last_value('audit_seq'), 0);
BEGIN
  RETURN least(last_seq, (
    SELECT min((classid::bigint << 32) + objid::bigint - (7003::bigint << 32)) FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint BETWEEN 7003 AND 8026
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())));
END $$;
