import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { appendAudit, type AuditEntry, transact } from '../../../src/ledger/engine/transaction.ts';
import { storableJson } from '../../../src/ledger/engine/storable-text.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

/**
 * The links of a transaction are appended together. Each is what it would be if it were appended alone: the same place,
 * number and hash. Here they are appended one by one, in the plain words of audit_link_hash.
 */
const ONE_BY_ONE = `
CREATE FUNCTION pg_temp.append_one(p_at timestamptz, p_link jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  p_evidence jsonb := CASE WHEN (p_link->>'isTimed')::boolean
    THEN p_link->'evidence' || jsonb_build_object('databaseAt', p_at) ELSE p_link->'evidence' END;
  named text := CASE jsonb_typeof(p_evidence->'account') WHEN 'string' THEN p_evidence->>'account' END;
  in_chain text := coalesce(
    (SELECT m.chain FROM file f JOIN merchant m USING (merchant_no) WHERE f.file_id = p_link->>'fileId'),
    (SELECT m.chain FROM account a JOIN merchant m USING (merchant_no) WHERE a.account = named),
    nullif(named, '*'), '');
  head audit_chain;
  next_seq bigint := nextval('audit_seq');
  next_hash bytea;
BEGIN
  INSERT INTO audit_chain (chain, link_no, seq, hash) VALUES (in_chain, 0, NULL, '\\x00') ON CONFLICT DO NOTHING;
  SELECT * INTO head FROM audit_chain WHERE chain = in_chain FOR UPDATE;
  next_hash := sha256(head.hash || convert_to(jsonb_build_array(
    in_chain, head.link_no + 1, next_seq, extract(epoch FROM p_at), p_link->>'actor', p_link->>'fileId',
    (p_link->>'batchNo')::integer, p_link->>'move', p_link->>'from', p_link->>'to', p_link->>'reason', p_evidence
  )::text, 'UTF8'));
  INSERT INTO audit (seq, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence, previous, hash,
      chain, link_no)
    VALUES (next_seq, p_at, p_link->>'actor', p_link->>'fileId', (p_link->>'batchNo')::integer,
    p_link->>'move', p_link->>'from', p_link->>'to', p_link->>'reason', p_evidence, head.hash, next_hash, in_chain,
    head.link_no + 1);
  UPDATE audit_chain SET link_no = head.link_no + 1, seq = next_seq, hash = next_hash WHERE chain = in_chain;
END $$`;

const world = openedForTests(openTestLedger);
let files: string[] = [];
beforeEach(async () => {
  for (const account of ['main', 'other']) await claimForTest(world.ledger, claimOf({ account }));
  const { rows } = await world.ledger.pool.query<{ file_id: string }>('SELECT file_id FROM file ORDER BY file_no');
  files = rows.map((row) => row.file_id);
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', 'é', '\0', '\uD800', "it's", '\\', '"'),
);
const json = fc.jsonValue({ maxDepth: 2 });

/** Links of two files, of accounts with and without a file, of no account, in any order. */
const link = () =>
  fc.record(
    {
      actor: text,
      move: text,
      reason: text,
      fileId: fc.constantFrom(...files),
      batchNo: fc.nat({ max: 3 }),
      from: fc.option(text),
      to: text,
      evidence: fc.oneof(
        fc.record({ account: fc.constantFrom<unknown>('main', 'other', 'nobody', '*', '', 7, null) }),
        fc.dictionary(
          fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'),
          json,
          { maxKeys: 3 },
        ),
      ),
      isTimed: fc.boolean(),
    },
    { requiredKeys: ['actor', 'move', 'reason'] },
  );

describe('append_audit', () => {
  it('gives the links of a transaction the places, numbers and hashes that each would have alone', async () => {
    const client = await world.ledger.pool.connect();
    await client.query(ONE_BY_ONE);
    const at = new Date('2026-06-15T08:00:00.123Z');
    const literal = `'${at.toISOString()}'::timestamptz`;
    /** What `append` makes of the trail, which is then as it was. */
    const trailAfter = async (append: () => Promise<unknown>) => {
      await client.query('BEGIN; SAVEPOINT before');
      const { rows } = await client.query<{ end: number }>(`SELECT nextval('audit_seq') AS end`);
      await append();
      const links = await client.query('SELECT * FROM audit ORDER BY seq');
      const ends = await client.query('SELECT * FROM audit_chain ORDER BY chain');
      await client.query('ROLLBACK');
      await client.query(`SELECT setval('audit_seq', $1, false)`, [rows[0]!.end]);
      return { links: links.rows, ends: ends.rows };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(link(), { minLength: 1, maxLength: 12 }), async (links) => {
        const entries = links as AuditEntry[];
        const [statement] = appendAudit(at, entries, literal);
        const together = await trailAfter(() => client.query(statement!));
        const alone = await trailAfter(async () => {
          for (const one of entries)
            await client.query('SELECT pg_temp.append_one($1, $2)', [at, storableJson({ evidence: {}, ...one })]);
        });
        expect(together).toEqual(alone);
        expect(together.links.length).toBeGreaterThanOrEqual(entries.length + 2);
      }),
      { numRuns: 150 },
    );
    client.release();
  });

  it('makes a trail that verifies, from links of several files and chains in one transaction', async () => {
    await transact(world.ledger, async (tx) => {
      for (const fileId of [...files, ...files])
        tx.audit({ actor: 'system', fileId, move: 'note', reason: 'once more' });
      tx.audit({ actor: 'system', move: 'note', reason: 'of nobody' });
    });
    const verified = await verifyAudit(world.ledger);
    expect(verified).toMatchObject({ brokenAt: undefined });
  });

  it('appends nothing without a link', () => {
    expect(appendAudit(new Date(), [], 'now()')).toEqual([]);
  });
});
