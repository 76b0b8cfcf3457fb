import { afterAll, beforeAll, expect, it } from 'vitest';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { findDuplicate } from '../../../workers/intake/find-duplicate.ts';
import { forceSql } from '../../support/force-sql.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type EarlierPaymentsWorld, openEarlierPaymentsWorld } from '../support/look-back-world.ts';

let world: EarlierPaymentsWorld;
beforeAll(async () => {
  world = await openEarlierPaymentsWorld();
});
afterAll(() => world.close());

it('findDuplicate names the file that had the same bytes, also for a file that is not in the ledger', async () => {
  const account = world.freshAccount();
  const first = await world.take(account, 'any', lines([achRow(1)]));
  const { rows } = await world.app.ledger.pool.query<{ sha256: string; name: string }>(
    'SELECT sha256, name FROM file WHERE file_id = $1',
    [first],
  );
  const { sha256, name } = rows[0]!;
  const find = (change: object) =>
    transact(world.app.ledger, (tx) => findDuplicate(tx, { file_id: '', account, sha256, ...change }));
  const detail = `they came as "${name}" (file ${first}), which is on its way`;
  expect(await find({})).toEqual({ code: 'DUPLICATE_FILE', detail, duplicateOf: first });
  await forceSql(world.app, `UPDATE file SET state = 'completed', invalid_rows = 3 WHERE file_id = '${first}'`);
  expect(await find({})).toMatchObject({
    detail: expect.stringContaining('which is completed; 3 rows of it were withheld and not paid'),
  });
  expect(await find({ sha256: '0'.repeat(64) })).toBeUndefined();
  expect(await find({ account: world.freshAccount() })).toBeUndefined();
  expect(await find({ file_id: first })).toBeUndefined();
});
