import { describe, expect, it } from 'vitest';
import { newFileId } from '../../../src/kernel/ids.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import {
  beginReading,
  endReading,
  findBeingRead,
  forgetReadings,
  noteProgress,
} from '../../../src/ledger/file/count-readings.ts';
import { readOpenFiles } from '../../../src/ledger/overview/overview.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('beginReading', () => {
  it('counts the readings before it that nobody came back from', async () => {
    const fileId = newFileId();
    for (const deaths of [0, 1, 2]) expect(await beginReading(world.ledger, fileId)).toEqual([deaths]);
    expect(await beginReading(world.ledger, newFileId())).toEqual([0]);
  });

  it('does not count one whose reader lived on', async () => {
    const fileId = newFileId();
    await beginReading(world.ledger, fileId);
    expect(await beginReading(world.ledger, fileId)).toEqual([1]);
    await endReading(world.ledger, fileId);
    expect(await beginReading(world.ledger, fileId)).toEqual([1]);
  });

  it('begins anew when everything is forgotten, and when the only reader lived on', async () => {
    const forget = (fileId: string) => forgetReadings(world.ledger.pool, fileId);
    for (const end of [(fileId: string) => endReading(world.ledger, fileId), forget]) {
      const fileId = newFileId();
      await beginReading(world.ledger, fileId);
      await end(fileId);
      await end(fileId);
      expect(await beginReading(world.ledger, fileId)).toEqual([0]);
    }
  });

  it('is there for other processes before it is answered', async () => {
    const fileId = newFileId();
    await beginReading(world.ledger, fileId);
    expect(await beginReading(await world.openAgain(), fileId)).toEqual([1]);
  });
});

describe('noteProgress', () => {
  it('lets the overview of open files tell how far a reading has come, until it begins again', async () => {
    const claim = claimOf({});
    await claimForTest(world.ledger, claim);
    const progress = async () => {
      const { checked_rows: checked, expected_rows: expected } = (await readOpenFiles(world.ledger, claim.account))[0]!;
      return [checked, expected];
    };
    await noteProgress(world.ledger, claim.fileId, 1, 2);
    expect(await progress()).toEqual([null, null]);
    await beginReading(world.ledger, claim.fileId);
    expect(await progress()).toEqual([null, null]);
    await noteProgress(world.ledger, claim.fileId, 120_000, 400_000);
    expect(await progress()).toEqual([120_000, 400_000]);
    await beginReading(world.ledger, claim.fileId);
    expect(await progress()).toEqual([null, null]);
  });
});

describe('findBeingRead', () => {
  it('finds those of several files of which a reading has begun and not ended', async () => {
    const [one, other, third] = [newFileId(), newFileId(), newFileId()];
    expect(await beginReading(world.ledger, one, other)).toEqual([0, 0]);
    await beginReading(world.ledger, other);
    expect(await findBeingRead(world.ledger, [one, other, third])).toEqual(new Set([one, other]));
    await endReading(world.ledger, one, other);
    expect(await findBeingRead(world.ledger, [one, other, third])).toEqual(new Set([other]));
    expect(await beginReading(world.ledger, third, other)).toEqual([0, 1]);
  });
});
