import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcomePacker } from '../../../src/rows/packed-outcomes.ts';
import type { ReconciledRow } from '../../../src/rows/rows.ts';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const row = (line: number, more: Partial<ReconciledRow> = {}): ReconciledRow => ({
  line,
  outcome: 'approved',
  code: null,
  message: 'OK: 678594',
  authorization: '678594',
  ...more,
});

const AWKWARD = ['', ' ', 'No\tfunds, \\N', 'two\r\nlines', 'äöü 漢字 \u{1F600}', 'x'.repeat(5_000)];

async function kept(fileNo: number): Promise<ReconciledRow[]> {
  const { rows } = await world.ledger.pool.query<ReconciledRow>(
    'SELECT line, outcome, code, message, "authorization" FROM row_outcome WHERE file_no = $1 ORDER BY line',
    [fileNo],
  );
  return rows;
}

describe('copyOutcomes', () => {
  it('keeps outcome, code, message and authorization of each row', async () => {
    const { file_no: fileNo } = await world.claimed();
    const rows = [
      row(3, { outcome: 'declined', code: 204, message: 'REJECT: 204', authorization: '' }),
      row(2),
      row(2_147_483_647, { outcome: 'accepted_pending', code: 0 }),
    ];
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, rows))).toBe(3);
    expect(await kept(fileNo)).toEqual([rows[1], rows[0], rows[2]]);
  });

  it('keeps every text as it is', async () => {
    const { file_no: fileNo } = await world.claimed();
    const rows = AWKWARD.map((text, index) => row(index + 1, { message: text, authorization: text }));
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, rows));
    expect(await kept(fileNo)).toEqual(rows);
  });

  it('takes packed outcomes for what they are', async () => {
    const { file_no: fileNo } = await world.claimed();
    const packer = outcomePacker(2);
    packer.addRow(7, 'approved', null);
    packer.addBytes('message', Buffer.from('<OK: 1>'), 1, 6);
    packer.addBytes('authorization', Buffer.from('<OK: 1>'), 5, 6);
    packer.addRow(9, 'declined', 15);
    packer.addText('message', 'REJECT: 15');
    packer.addText('authorization', '');
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, packer.finish()))).toBe(2);
    expect(await kept(fileNo)).toEqual([
      row(7, { message: 'OK: 1', authorization: '1' }),
      row(9, { outcome: 'declined', code: 15, message: 'REJECT: 15', authorization: '' }),
    ]);
  });

  it('replaces what PostgreSQL cannot keep', async () => {
    const { file_no: fileNo } = await world.claimed();
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [row(1, { message: 'a\0b\ud83d' })]));
    expect((await kept(fileNo))[0]!.message).toBe('a\uFFFDb\uFFFD');
  });

  it('takes none for none, and many at once', async () => {
    const { file_no: fileNo } = await world.claimed();
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, []))).toBe(0);
    const rows = Array.from({ length: 20_000 }, (_, index) => row(index + 2, { message: `OK: ${index}` }));
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, rows))).toBe(20_000);
    expect((await kept(fileNo)).at(-1)).toEqual(rows.at(-1));
  });

  it('refuses the same line twice, says no data, and leaves a connection that works', async () => {
    const { file_no: fileNo } = await world.claimed();
    const twice = transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [row(1, { message: 'CANARY-77' }), row(1)]));
    const failure = await twice.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '23505', constraint: 'row_outcome_pkey' });
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain('CANARY-77');
    expect(world.ledger.pool.idleCount).toBe(world.ledger.pool.totalCount);
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [row(1)]));
    expect(await kept(fileNo)).toHaveLength(1);
  });
});
