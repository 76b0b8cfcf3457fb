import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { readLinkedFiles } from '../../../src/ledger/file/list-files.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'again' };

it('readLinkedFiles knows what a file was made from and made into, and the same content', async () => {
  const { file_id: fileId } = await world.accepted({ name: 'old.csv' });
  await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
  const old = await world.putFile(fileId, 'cancelled');
  const again = { name: 'again.csv', sha256: 'bytes that came back', lines: [2], cents: 1 };
  await recordResubmission(world.ledger, old, again, because);
  const waits = { name: 'waits.csv', sha256: 'not here yet', lines: [3], cents: 1 };
  await recordResubmission(world.ledger, old, waits, because);
  const made = await world.claimed({ account: old.account, sha256: again.sha256, name: 'again.csv' });
  const repeat = await world.rejected({ name: 'repeat.csv' });
  await world.force('UPDATE file SET duplicate_of = $2 WHERE file_id = $1', [repeat.file_id, fileId]);

  const links = async (id: string) =>
    (await readLinkedFiles(world.ledger, id)).map((file) => [file.kind, file.fileId, file.name, file.state]);
  expect(await links(fileId)).toEqual(
    expect.arrayContaining([
      ['resubmitted_as', made.file_id, 'again.csv', 'claimed'],
      ['resubmitted_as', null, 'waits.csv', null],
      ['repeated_by', repeat.file_id, 'repeat.csv', 'rejected'],
    ]),
  );
  expect(await links(fileId)).toHaveLength(3);
  expect(await links(made.file_id)).toEqual([['made_from', fileId, 'old.csv', 'cancelled']]);
  expect(await links(repeat.file_id)).toEqual([['duplicate_of', fileId, 'old.csv', 'cancelled']]);
});
