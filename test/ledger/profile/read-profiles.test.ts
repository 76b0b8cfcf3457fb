import { describe, expect, it } from 'vitest';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { confirmVersion, retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import {
  findConfirmed,
  findReading,
  findUnconfirmed,
  mustBeConfirmed,
  type ProfileUse,
} from '../../../src/ledger/profile/read-profiles.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { putConfirmed, putDraft, SAMPLE } from '../support/put-version.ts';

const world = openedForTests(openTestLedger);

const GRACE = { actor: 'operator:grace', reason: 'the total agrees' };

describe('findConfirmed and findUnconfirmed', () => {
  it('tell which profiles read nothing, and how far their newest version is', async () => {
    await putConfirmed(world.ledger, 'reads');
    await putDraft(world.ledger, 'drafted');
    await retireVersion(world.ledger, (await putConfirmed(world.ledger, 'over')).profile_no, GRACE);
    const use = (profile: string): ProfileUse => ({ profile, operation: 'card' });
    // A profile of folders of both signs is told once.
    const refunds = { profile: 'drafted', operation: 'ach-refund' } as const;
    const found = await findUnconfirmed(world.ledger, ['reads', 'drafted', 'over', 'unknown'].map(use).concat(refunds));
    expect(found).toEqual([
      { name: 'drafted', sign: null, newest: 'draft' },
      { name: 'over', sign: null, newest: 'retired' },
      { name: 'unknown', sign: null, newest: null },
    ]);
    expect(await findUnconfirmed(world.ledger, [])).toEqual([]);
  });

  it('leave out a version of another reader', async () => {
    const { profile_no: no } = await putConfirmed(world.ledger, 'outdated');
    await world.force('UPDATE profile_version SET reader = reader - 1 WHERE profile_no = $1', [no]);
    expect(await findConfirmed(world.ledger.pool, 'outdated')).toBeUndefined();
    const use = { profile: 'outdated', operation: 'card' } as const;
    expect(await findUnconfirmed(world.ledger, [use])).toMatchObject([{ name: 'outdated', newest: 'confirmed' }]);
  });

  it('leave out a version that was confirmed for charges in a folder of refunds, and the reverse', async () => {
    const charges = await putConfirmed(world.ledger, 'charges');
    const { profile_no: no } = await putDraft(world.ledger, 'refunds');
    await transact(world.ledger, (tx) => confirmVersion(tx, no, { ...SAMPLE, cents: -500 }, GRACE));
    const use = (profile: string, operation: FolderOperation) => ({ profile, operation });
    expect(await findReading(world.ledger.pool, use('charges', 'ach-charge'))).toEqual(charges);
    expect(await findReading(world.ledger.pool, use('refunds', 'ach-refund'))).toMatchObject({ profile_no: no });
    const wrong = [use('charges', 'ach-refund'), use('refunds', 'ach-charge')];
    for (const one of wrong) expect(await findReading(world.ledger.pool, one)).toBeUndefined();
    expect(await findUnconfirmed(world.ledger, [...wrong, use('charges', 'card')])).toEqual([
      { name: 'charges', sign: -1, newest: 'confirmed' },
      { name: 'refunds', sign: 1, newest: 'confirmed' },
    ]);
    await expect(mustBeConfirmed(world.ledger.pool, wrong[0]!)).rejects.toThrow(
      'confirmed for charges, not for refunds',
    );
  });
});
