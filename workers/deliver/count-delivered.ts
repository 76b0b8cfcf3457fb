import { createReadStream } from 'node:fs';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { outcomeOfLabel } from '../../schemas/lifecycle.ts';
import { readRawRows } from '../../src/csv/read-rows.ts';
import { parseAmount } from '../../src/kernel/money.ts';
import type { OutcomeTotals } from '../../src/kernel/rows.ts';

/** Rows and money per outcome as a reader of the result file finds them (H8). Read from the disk, not from memory. */
export async function countDelivered(path: string, layout: LayoutName): Promise<OutcomeTotals> {
  const columns = columnsOf(layout);
  const amountAt = 1 + columns.indexOf('amount');
  const outcomeAt = 1 + columns.length;
  const totals: OutcomeTotals = {};
  for await (const page of readRawRows(createReadStream(path), { charset: 'utf-8', headerLine: 1 })) {
    for (const { cells } of page) {
      const outcome = outcomeOfLabel(cells[outcomeAt] ?? '');
      if (!outcome) continue;
      const cents = parseAmount((cells[amountAt] ?? '').trim());
      const before = totals[outcome] ?? { rows: 0, cents: 0 };
      totals[outcome] = { rows: before.rows + 1, cents: before.cents + (typeof cents === 'number' ? cents : 0) };
    }
  }
  return totals;
}
