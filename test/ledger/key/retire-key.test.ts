import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newFileId } from '../../../src/kernel/ids.ts';
import { makeKeyCurrent, readKeyUses, retireKey } from '../../../src/ledger/key/master-keys.ts';
import { newDataKey } from '../../../src/crypto/data-key.ts';
import { newFingerprintKey } from '../../../src/crypto/fingerprints/fingerprint.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { masterKeyOf } from '../../support/load-master-key.ts';

const because = { actor: 'operator:ada', reason: 'it is old' };
const one = masterKeyOf(1);

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterEach(() => world.empty());
afterAll(() => world.close());

const claim = () => {
  const fileId = newFileId();
  return world.claimed({ fileId, wrappedKey: newDataKey(one, fileId).wrapped });
};

const refused = () => expect(retireKey(world.ledger, one.id, because)).rejects.toMatchObject({ code: 'KEY_IN_USE' });

describe('retireKey', () => {
  it('refuses while a file is wrapped with it', async () => {
    await claim();
    await refused();
  });

  it('refuses while a key that outlives files is wrapped with it', async () => {
    await world.ledger.pool.query('INSERT INTO vault_key VALUES ($1, $2)', ['fingerprint', newFingerprintKey(one)]);
    await refused();
  });

  it('refuses the current key', async () => {
    await makeKeyCurrent(world.ledger, one.id, because);
    await refused();
  });

  it('bars it for ever: the database takes nothing that is wrapped with it', async () => {
    const other = await world.claimed();
    await retireKey(world.ledger, one.id, because);
    await retireKey(world.ledger, one.id, because);
    expect(await readKeyUses(world.ledger)).toContainEqual(
      expect.objectContaining({ id: one.id, retiredAt: world.clock.now() }),
    );
    await expect(claim()).rejects.toMatchObject({ code: 'PD004' });
    const query = (sql: string, values: unknown[]) => world.ledger.pool.query(sql, values);
    await expect(
      query('UPDATE file_secret SET wrapped_key = $2 WHERE file_id = $1', [
        other.file_id,
        newDataKey(one, 'x').wrapped,
      ]),
    ).rejects.toMatchObject({ code: 'PD004' });
    await expect(query('INSERT INTO vault_key VALUES ($1, $2)', ['a', newFingerprintKey(one)])).rejects.toMatchObject({
      code: 'PD004',
    });
    const { rows } = await world.ledger.pool.query(`SELECT evidence FROM audit WHERE move = 'retire-key'`);
    expect(rows).toEqual([{ evidence: { key: one.id } }]);
  });

  it('waits for a file that is being taken in, and counts it', async () => {
    const client = await world.ledger.pool.connect();
    await client.query('BEGIN');
    const fileId = newFileId();
    await client.query(
      `WITH taken AS (
         INSERT INTO file (file_id, account, folder, operation, name, state, state_at, bytes, sha256, completeness, claimed_at,
                           archive, charset)
         VALUES ($1, 'a', 'f', 'card', 'n', 'claimed', now(), 1, 's', 'quiet', now(), 'a', 'utf-8'))
       INSERT INTO file_secret (file_id, wrapped_key) VALUES ($1, $2)`,
      [fileId, newDataKey(one, fileId).wrapped],
    );
    const retiring = refused();
    await expect
      .poll(async () => {
        const { rows } = await world.ledger.pool.query(
          `SELECT FROM pg_locks WHERE NOT granted AND mode = 'ShareRowExclusiveLock' AND ${OF_THIS_DATABASE}`,
        );
        return rows.length;
      })
      .toBe(1);
    await client.query('COMMIT');
    client.release();
    await retiring;
  });
});
