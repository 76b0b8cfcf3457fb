import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { findSameContent, findSameName } from '../../../src/ledger/duplicates/find-duplicate.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const sameContent = (file: FileRow) => transact(world.ledger, (tx) => findSameContent(tx, file));
const sameName = (file: FileRow) => transact(world.ledger, (tx) => findSameName(tx, file));

describe('findSameContent', () => {
  it.each(Object.keys(FILE_STATES) as FileState[])(
    'finds a file that is %s only if its bytes were taken',
    async (state) => {
      const earlier = await world.accepted({ name: 'monday.csv' });
      await world.putFile(earlier.file_id, state);
      const { account, sha256 } = earlier;
      const found = await sameContent(await world.claimed({ account, sha256, name: 'tuesday.csv' }));
      const isTaken = ['accepted', 'held', 'in_progress', 'completed', 'partly_cancelled'].includes(state);
      const { file_id, invalid_rows } = earlier;
      const expected = { file_id, name: 'monday.csv', claimed_at: new Date(START), invalid_rows };
      expect(found && { ...found, mayBeCharged: undefined }).toEqual(isTaken ? { ...expected, state } : undefined);
    },
  );

  it('does not find the file itself, nor other bytes, nor another account', async () => {
    const earlier = await world.accepted();
    expect(await sameContent(earlier)).toBeUndefined();
    expect(await sameContent(await world.claimed({ account: earlier.account }))).toBeUndefined();
    expect(await sameContent(await world.claimed({ sha256: earlier.sha256 }))).toBeUndefined();
  });
});

describe('findSameContent, for what is inside an encrypted file', () => {
  it('finds it whether it came encrypted before or as it is', async () => {
    const account = 'inside';
    const encrypted = await world.accepted({ account });
    await world.force('UPDATE file SET content_sha256 = $2 WHERE file_id = $1', [encrypted.file_id, 'rows of may']);
    const plain = await world.accepted({ account });
    const find = async (file: FileRow, inside?: string) =>
      (await transact(world.ledger, (tx) => findSameContent(tx, file, inside)))?.file_id;
    const again = await world.claimed({ account });
    expect(await find(again, 'rows of may')).toBe(encrypted.file_id);
    expect(await find(again, plain.sha256)).toBe(plain.file_id);
    expect(await find(again, 'rows of june')).toBeUndefined();
    expect(await find(await world.claimed({ account, sha256: 'rows of may' }))).toBe(encrypted.file_id);
    // The same message again, recognizable before it is decrypted.
    expect(await find(await world.claimed({ account, sha256: encrypted.sha256 }))).toBe(encrypted.file_id);
  });
});

describe('findSameName', () => {
  it('finds the last file of that name with other bytes, whatever became of it', async () => {
    const account = 'names';
    await world.accepted({ account, name: 'monday.csv' });
    const last = await world.rejected({ account, name: 'monday.csv' });
    const file = await world.claimed({ account, name: 'monday.csv' });
    expect(await sameName(file)).toMatchObject({ file_id: last.file_id });
  });

  it('does not find the same bytes, another name, or another account', async () => {
    const earlier = await world.accepted({ name: 'friday.csv' });
    const { account, sha256, name } = earlier;
    expect(await sameName(earlier)).toBeUndefined();
    expect(await sameName(await world.claimed({ account, sha256, name }))).toBeUndefined();
    expect(await sameName(await world.claimed({ account, name: 'saturday.csv' }))).toBeUndefined();
    expect(await sameName(await world.claimed({ name }))).toBeUndefined();
  });
});
