import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newFileId } from '../../../src/kernel/ids.ts';
import { makeKeyCurrent, readCurrentKeyId, readKeyUses, rewrapAll } from '../../../src/ledger/key/master-keys.ts';
import { newDataKey, rewrapDataKey } from '../../../src/crypto/data-key.ts';
import { newFingerprintKey, rewrapFingerprintKey } from '../../../src/crypto/fingerprints/fingerprint.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { masterKeyOf } from '../../support/load-master-key.ts';

const because = { actor: 'operator:ada', reason: 'once a year' };
const [one, two] = [1, 2].map(masterKeyOf) as [ReturnType<typeof masterKeyOf>, ReturnType<typeof masterKeyOf>];
const REWRAP = {
  file: (fileId: string, wrapped: Buffer) => rewrapDataKey(one, two, fileId, wrapped),
  vault: (_: string, wrapped: Buffer) => rewrapFingerprintKey(one, two, wrapped),
};

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterEach(() => world.empty());
afterAll(() => world.close());

async function claim(): Promise<string> {
  const fileId = newFileId();
  await world.claimed({ fileId, wrappedKey: newDataKey(one, fileId).wrapped });
  return fileId;
}

const moves = async () =>
  (await world.ledger.pool.query(`SELECT move, evidence FROM audit WHERE move LIKE '%key%' ORDER BY seq`)).rows;

describe('makeKeyCurrent', () => {
  it('names one key, from which and to which stands in the trail, and may be repeated', async () => {
    expect(await makeKeyCurrent(world.ledger, one.id, because)).toBe(true);
    expect(await makeKeyCurrent(world.ledger, two.id, because)).toBe(true);
    expect(await makeKeyCurrent(world.ledger, two.id, because)).toBe(false);
    expect(await readCurrentKeyId(world.ledger)).toBe(two.id);
    expect(await moves()).toEqual([
      { move: 'change-key', evidence: { to: one.id, from: null } },
      { move: 'change-key', evidence: { to: two.id, from: one.id } },
    ]);
  });
});

describe('rewrapAll', () => {
  it('wraps everything anew, more than fits into one transaction, and says so once', async () => {
    await claim();
    await world.ledger.pool.query('INSERT INTO vault_key VALUES ($1, $2)', ['fingerprint', newFingerprintKey(one)]);
    // Copies one file under other ids. A key opens only for its own file, so each copy gets a new one.
    const ids = Array.from({ length: 401 }, newFileId);
    await world.force(
      `WITH n AS (SELECT * FROM unnest($1::text[], $2::bytea[]) AS n (id, wrapped)), taken AS (
         INSERT INTO file (file_id, account, folder, operation, name, state, state_at, bytes, sha256, completeness, claimed_at,
                           archive, charset)
         SELECT n.id, 'many', 'f', 'card', n.id, 'claimed', now(), 1, n.id, 'quiet', now(), 'a', 'utf-8' FROM n)
       INSERT INTO file_secret (file_id, wrapped_key) SELECT id, wrapped FROM n`,
      [ids, ids.map((id) => newDataKey(one, id).wrapped)],
    );
    expect(await rewrapAll(world.ledger, two.id, REWRAP, because)).toBe(403);
    expect(await readKeyUses(world.ledger)).toMatchObject([{ id: two.id, files: 402, others: 1 }]);
    expect(await moves()).toEqual([{ move: 'rewrap-keys', evidence: { to: two.id, keys: 403 } }]);
    expect(await rewrapAll(world.ledger, two.id, REWRAP, because)).toBe(0);
    expect(await moves()).toHaveLength(1);
  });

  it('leaves a key that was destroyed alone', async () => {
    const fileId = await claim();
    await world.ledger.pool.query('DELETE FROM file_secret');
    expect(await rewrapAll(world.ledger, two.id, REWRAP, because)).toBe(0);
    expect(fileId).toHaveLength(16);
  });

  it('changes nothing of a transaction in which a key cannot be opened', async () => {
    await claim();
    const broken = newFileId();
    await world.claimed({ fileId: broken, wrappedKey: newDataKey(masterKeyOf(3), broken).wrapped });
    await expect(rewrapAll(world.ledger, two.id, REWRAP, because)).rejects.toMatchObject({ code: 'MASTER_KEY_WRONG' });
    expect((await readKeyUses(world.ledger)).map((use) => use.id).sort()).toEqual([one.id, masterKeyOf(3).id].sort());
  });
});
