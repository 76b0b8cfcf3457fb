import { beforeEach, describe, expect, it } from 'vitest';
import { findSigner, signerOf } from '../../../src/crypto/key-ring.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { readSettledEnd } from '../../../src/ledger/overview/list-audit.ts';
import { describeRoots, signRoot, verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { masterKeyOf } from '../../support/openpgp.ts';
import { appendLate } from '../support/put-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
const MASTER = masterKeyOf(1);
const SIGNER = signerOf(MASTER);
const keys = findSigner({ find: (id) => (id === MASTER.id ? MASTER : undefined) });

beforeEach(() => world.empty());

const because = { actor: 'operator:ada', reason: 'to see' };

/** Recomputes the hash of a link, as one would who changes it. */
const REHASHED = `audit_link_hash(previous, chain, link_no, seq, at, actor, file_id, batch_no, move, from_state, to_state, reason,
                              evidence)`;

/** Removes the last links of a chain, and says that it ended before them. */
async function cutTail(chain: string, links: number): Promise<void> {
  await world.force(
    `DELETE FROM audit WHERE chain = $1 AND link_no > (SELECT link_no - $2 FROM audit_chain WHERE chain = $1)`,
    [chain, links],
  );
  await world.force(
    `UPDATE audit_chain c SET link_no = a.link_no, seq = a.seq, hash = a.hash FROM audit a
     WHERE c.chain = $1 AND a.seq = (SELECT max(seq) FROM audit WHERE chain = $1)`,
    [chain],
  );
}

describe('verifyAudit', () => {
  /** Writes ten links. */
  async function makeChain(): Promise<void> {
    for (let count = 0; count < 5; count += 1) await world.accepted({ account: 'main' });
  }

  it('finds nothing wrong with an empty chain, nor with one as it was written', async () => {
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
    await makeChain();
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });

  it.each([
    ['at', `at = at + interval '1 microsecond'`],
    ['actor', `actor = 'operator:eve'`],
    ['file_id', `file_id = NULL`],
    ['batch_no', 'batch_no = 1'],
    ['chain', `chain = 'side'`],
    ['link_no', 'link_no = 40'],
    ['move', `move = 'approve'`],
    ['from_state', `from_state = coalesce(from_state, '') || 'x'`],
    ['to_state', 'to_state = NULL'],
    ['reason', `reason = reason || ' '`],
    ['evidence', `evidence = evidence || '{"more": 1}'`],
    ['previous', `previous = '\\\\x01'`],
    ['hash', `hash = sha256(hash)`],
  ])('finds the link whose %s was altered', async (_column, change) => {
    await makeChain();
    await world.force(`UPDATE audit SET ${change} WHERE seq = 4`);
    expect((await verifyAudit(world.ledger)).brokenAt).toBe(4);
  });

  it('finds a link that was altered together with its own hash', async () => {
    await makeChain();
    await world.force(`UPDATE audit SET reason = 'other' WHERE seq = 4`);
    await world.force(`UPDATE audit SET hash = ${REHASHED} WHERE seq = 4`);
    expect((await verifyAudit(world.ledger)).brokenAt).toBe(5);
  });

  it.each([
    ['the first', 1, 2],
    ['one in the middle', 5, 6],
    ['the last', 10, 10],
  ])('finds that %s was removed', async (_which, seq, found) => {
    await makeChain();
    await world.force('DELETE FROM audit WHERE seq = $1', [seq]);
    expect((await verifyAudit(world.ledger)).brokenAt).toBe(found);
  });

  it('finds that all were removed', async () => {
    await makeChain();
    await world.force('DELETE FROM audit');
    expect((await verifyAudit(world.ledger)).brokenAt).toBe(10);
  });

  it('finds that two were swapped', async () => {
    await makeChain();
    await world.force('UPDATE audit SET seq = CASE seq WHEN 3 THEN -4 ELSE -3 END WHERE seq IN (3, 4)');
    await world.force('UPDATE audit SET seq = -seq WHERE seq < 0');
    expect((await verifyAudit(world.ledger)).brokenAt).toBe(3);
  });

  it('finds that one was added at the end past append_audit', async () => {
    await makeChain();
    await world.force(
      `INSERT INTO audit SELECT 11, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence, hash,
         audit_link_hash(hash, chain, 11, 11, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence),
         chain, 11
       FROM audit WHERE seq = 10`,
    );
    expect((await verifyAudit(world.ledger)).brokenAt).toBe(10);
  });

  it('goes on behind a chain that was tampered with, and still finds where', async () => {
    await makeChain();
    await world.force(`UPDATE audit SET reason = 'other' WHERE seq = 10`);
    await world.accepted({ account: 'main' });
    expect((await verifyAudit(world.ledger)).brokenAt).toBe(10);
  });
});

describe('chains', () => {
  it('has one for each account and one for what concerns none, each counted from 1', async () => {
    const { file_id: fileId } = await world.accepted({ account: 'main' });
    await world.accepted({ account: 'side' });
    await pauseAccount(world.ledger, 'side', because);
    await pauseAccount(world.ledger, '*', because);
    await transact(world.ledger, async (tx) => {
      tx.audit({ ...because, move: 'export' });
      tx.audit({ ...because, move: 'download', fileId });
    });
    const { rows } = await world.ledger.pool.query('SELECT chain, link_no, move FROM audit ORDER BY chain, link_no');
    expect(rows.map(({ chain, link_no: no, move }) => [chain, no, move])).toEqual([
      ['', 1, 'pause-account'],
      ['', 2, 'export'],
      ['main', 1, 'claim'],
      ['main', 2, 'accept'],
      ['main', 3, 'download'],
      ['side', 1, 'claim'],
      ['side', 2, 'accept'],
      ['side', 3, 'pause-account'],
    ]);
    const { brokenAt, chains } = await verifyAudit(world.ledger);
    expect(brokenAt).toBeUndefined();
    expect(chains.map(({ chain, links }) => [chain, links])).toEqual([
      ['', 2],
      ['main', 3],
      ['side', 3],
    ]);
  });

  it('finds a link that was moved to the end of another chain with all its hashes, in both', async () => {
    await world.accepted({ account: 'main' });
    await world.accepted({ account: 'side' });
    await world.force(`UPDATE audit SET chain = 'side', link_no = 3 WHERE chain = 'main' AND link_no = 2`);
    await world.force(`UPDATE audit SET hash = ${REHASHED} WHERE link_no = 3`);
    await world.force(`UPDATE audit_chain c SET link_no = 3, seq = a.seq, hash = a.hash FROM audit a
                       WHERE c.chain = 'side' AND a.chain = 'side' AND a.link_no = 3`);
    const { breaks } = await verifyAudit(world.ledger);
    expect(breaks.map(({ chain, seq }) => [chain, seq])).toEqual([
      ['main', 2],
      ['side', 2],
    ]);
  });

  it('finds a chain whose end is not recorded', async () => {
    await world.accepted({ account: 'main' });
    await world.force(`DELETE FROM audit_chain`);
    expect((await verifyAudit(world.ledger)).breaks).toEqual([
      { chain: 'main', seq: 2, says: 'its end is not recorded' },
    ]);
  });

  it('lets transactions with links of several chains pass in any order, without a deadlock', async () => {
    const another = await world.openAgain();
    const files = await Promise.all(Array.from({ length: 6 }, (_, no) => world.claimed({ account: `account-${no}` })));
    const turns = Array.from({ length: 60 }, (_, turn) => files.map((_, no) => files[(no * (turn % 5) + turn) % 6]!));
    const ends = await Promise.allSettled(
      turns.map((turn, no) =>
        transact(no % 2 ? another : world.ledger, async (tx) => {
          for (const { file_id: fileId } of turn) tx.audit({ ...because, move: 'download', fileId });
          tx.audit({ ...because, move: 'export' });
        }),
      ),
    );
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
    const { brokenAt, links } = await verifyAudit(world.ledger);
    expect([brokenAt, links]).toEqual([undefined, 6 + 60 * 7]);
  });
});

describe('readSettledEnd', () => {
  it('stays below a link that is not committed, while links of other chains with larger numbers are there', async () => {
    await world.accepted({ account: 'main' });
    const settled = await readSettledEnd(world.ledger);
    const commit = await appendLate(world.ledger, 'late');
    const meanwhile = await readSettledEnd(world.ledger);
    await commit();
    expect([meanwhile, await readSettledEnd(world.ledger)]).toEqual([settled, settled + 2]);
    const { rows } = await world.ledger.pool.query(`SELECT count(*) AS links FROM audit`);
    expect(rows).toEqual([{ links: settled + 2 }]);
  });
});

describe('signRoot', () => {
  async function makeChains(): Promise<void> {
    await world.accepted({ account: 'main' });
    await world.accepted({ account: 'side' });
    await signRoot(world.ledger, SIGNER);
  }

  it('names every chain with its end, in a link that the key proves', async () => {
    await makeChains();
    await world.accepted({ account: 'side' });
    const report = await verifyAudit(world.ledger, keys);
    expect(report).toMatchObject({ brokenAt: undefined, roots: { signed: 1, unchecked: {} } });
    expect(report.lastRoot).toEqual({ seq: 5, day: '2026-06-15', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(describeRoots(report)[0]).toMatch(/^The last of 1 signed root is link 5, of 2026-06-15; its hash is /);
    expect([report.unsignedFrom, describeRoots(report)[1]]).toEqual([
      6,
      expect.stringMatching(/^From link 6 on, nothing is signed yet/),
    ]);
    const { rows } = await world.ledger.pool.query(`SELECT evidence FROM audit WHERE move = 'sign-root'`);
    expect(rows[0].evidence.chains).toMatchObject({ main: { links: 2, seq: 2 }, side: { links: 2, seq: 4 } });
  });

  it('says from which link on nothing is signed yet, of any chain', async () => {
    await world.accepted({ account: 'main' });
    const before = await verifyAudit(world.ledger, keys);
    expect([before.unsignedFrom, describeRoots(before)]).toEqual([
      1,
      ['No root is signed yet: the first night adds one.'],
    ]);
    await signRoot(world.ledger, SIGNER);
    const signed = await verifyAudit(world.ledger, keys);
    expect([signed.unsignedFrom, describeRoots(signed)[1]]).toEqual([
      null,
      'It covers every link before it, and none follows.',
    ]);
    await world.accepted({ account: 'new' });
    expect((await verifyAudit(world.ledger, keys)).unsignedFrom).toBe(4);
    // Without the key, nothing that the root names is proved.
    expect((await verifyAudit(world.ledger)).unsignedFrom).toBe(1);
  });

  it('says that it cannot be checked without the key', async () => {
    await makeChains();
    for (const given of [undefined, () => undefined]) {
      const report = await verifyAudit(world.ledger, given);
      expect(report).toMatchObject({ brokenAt: undefined, roots: { signed: 0, unchecked: { [MASTER.id]: 1 } } });
      expect(describeRoots(report).join(' ')).toContain(
        `Not checked for lack of master key ${MASTER.id}: the signature of 1 root.`,
      );
    }
  });

  it('finds that the tail of a chain was removed since, with its recorded end', async () => {
    await makeChains();
    await cutTail('side', 1);
    const names = 'the root of 2026-06-15, link 5, names an end of it that is no longer there';
    expect((await verifyAudit(world.ledger, keys)).breaks).toEqual([{ chain: 'side', seq: 5, says: names }]);
    await signRoot(world.ledger, SIGNER);
    expect((await verifyAudit(world.ledger, keys)).breaks).toHaveLength(1);
  });

  it('finds that a whole chain was removed, with its recorded end', async () => {
    await makeChains();
    await world.force(`DELETE FROM audit WHERE chain = 'side'`);
    await world.force(`DELETE FROM audit_chain WHERE chain = 'side'`);
    expect((await verifyAudit(world.ledger, keys)).breaks).toMatchObject([{ chain: 'side', seq: 5 }]);
  });

  it('finds a root of another key, or with other ends, under a name that is known', async () => {
    await makeChains();
    await signRoot(world.ledger, signerOf({ ...masterKeyOf(2), id: MASTER.id }));
    const forged = 'link 6 is forged, because its signature is wrong';
    expect((await verifyAudit(world.ledger, keys)).breaks).toMatchObject([{ chain: '', seq: 6 }]);
    expect((await verifyAudit(world.ledger, keys)).breaks[0]?.says).toContain(forged);
    await transact(world.ledger, async (tx) => {
      const { rows } = await tx.client.query(`SELECT evidence FROM audit WHERE seq = 5`);
      tx.audit({ ...because, move: 'sign-root', evidence: { ...rows[0].evidence, chains: {} } });
      tx.audit({ ...because, move: 'sign-root', evidence: { day: 'today' } });
    });
    expect((await verifyAudit(world.ledger, keys)).breaks.map(({ seq }) => seq)).toEqual([6, 7, 8]);
  });

  it('is added once a UTC day of the database, by the first process that sweeps', async () => {
    const another = await world.openAgain();
    const tries = () =>
      [world.ledger, another, world.ledger].map((one) => signRoot(one, SIGNER, { onlyNightly: true }));
    expect((await Promise.all(tries())).filter(Boolean)).toHaveLength(1);
    world.clock.advance(13 * 3_600_000);
    expect((await Promise.all(tries())).filter(Boolean)).toHaveLength(0);
    world.clock.advance(3_600_000);
    expect((await Promise.all(tries())).filter(Boolean)).toHaveLength(1);
    expect((await verifyAudit(world.ledger, keys)).roots.signed).toBe(2);
  });
});
