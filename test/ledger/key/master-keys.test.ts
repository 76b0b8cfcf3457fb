import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeyCurrent, readCurrentKeyId, readKeyUses } from '../../../src/ledger/key/master-keys.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { masterKeyOf } from '../../support/load-master-key.ts';
import { newDataKey } from '../../../src/crypto/data-key.ts';
import { newFingerprintKey } from '../../../src/crypto/fingerprints/fingerprint.ts';
import { newFileId } from '../../../src/kernel/ids.ts';

const because = { actor: 'operator:ada', reason: 'once a year' };
const [one, two] = [1, 2].map(masterKeyOf);

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

async function claim(fill: number): Promise<void> {
  const fileId = newFileId();
  await world.claimed({ fileId, wrappedKey: newDataKey(masterKeyOf(fill), fileId).wrapped });
}

describe('readCurrentKeyId', () => {
  it('is nothing until the keys are changed, then the key that was changed to', async () => {
    expect(await readCurrentKeyId(world.ledger)).toBeUndefined();
    await makeKeyCurrent(world.ledger, two!.id, because);
    expect(await readCurrentKeyId(world.ledger)).toBe(two!.id);
  });
});

describe('readKeyUses', () => {
  it('counts what each key wraps, and names those that wrap nothing', async () => {
    await claim(1);
    await claim(1);
    await world.ledger.pool.query('INSERT INTO vault_key VALUES ($1, $2)', ['fingerprint', newFingerprintKey(one!)]);
    expect(await readKeyUses(world.ledger)).toEqual(
      [
        { id: one!.id, files: 2, others: 1, isCurrent: false, retiredAt: null },
        { id: two!.id, files: 0, others: 0, isCurrent: true, retiredAt: null },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  it('does not count a key that was destroyed', async () => {
    await world.ledger.pool.query('DELETE FROM file_secret');
    const uses = await readKeyUses(world.ledger);
    expect(uses.find(({ id }) => id === one!.id)).toMatchObject({ files: 0, others: 1 });
  });
});
