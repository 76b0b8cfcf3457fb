import { expect, it } from 'vitest';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { orderReading } from '../../../workers/intake/store-rows.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { takeIn } from '../support/take-in.ts';

const world = stepWorld({ accounts: 1 });

it('orderReading says all that a reader needs, can be copied into a thread, and has no password in it', async () => {
  const folder = world.app.folder(`drop/${world.freshAccount()}/ach-charge`)!;
  const file = await readFileRow(world.app.ledger, await takeIn(world.app, folder.id, lines([achRow(1)])));
  await transact(world.app.ledger, async (tx) => {
    const order = orderReading(world.app, tx, file, { folder, volume: 8 });
    expect(order).toMatchObject({
      source: { fileId: file.file_id, purpose: 'original', contentKey: null },
      rules: { operation: 'ach-charge', account: { server: 'NA', country: 'US', currency: 'USD' } },
      fileNo: file.file_no,
      volume: 8,
      at: tx.at,
      maxRows: 2,
    });
    expect([order.source.key, order.printKey, order.rowSetKey].map((key) => key.length)).toEqual([32, 32, 32]);
    const { password } = world.app.account(file.account);
    expect(JSON.stringify(structuredClone(order))).not.toContain(`"${password}"`);
    expect(() => orderReading(world.app, tx, { ...file, site: 'elsewhere' }, { folder, volume: 8 })).toThrow(
      expect.objectContaining({ code: 'OTHER_SITE' }),
    );
  });
});
