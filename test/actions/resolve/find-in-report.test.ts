import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../../../src/gateway/reports/report-answers.ts';
import { readFileRow, readSentRows } from '../../../src/ledger/file/read-file.ts';
import { findInReport } from '../../../src/actions/resolve/find-in-report.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { doubtfulBatch } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

function lineOf(invoice: string, amountCents: number): JournalLine {
  return {
    transactionId: 'A1',
    invoice,
    at: { text: '', utc: START },
    customerCode: '',
    paymentMethod: 'CHECKING',
    amountCents,
    result: 'OK:555555:',
    outcome: 'accepted',
    lastFour: '0001',
    comment: '',
  };
}

describe('findInReport', () => {
  it('compares every row with the lines of its invoice, however that is written, and no others', async () => {
    const batch = await doubtfulBatch(world);
    const { file_no: fileNo, file_id: fileId } = await readFileRow(world.ledger, batch.file_id);
    const sent = await readSentRows(world.ledger, fileNo, batch);
    const lines = [lineOf(`INV-${fileId}-2`, 200), lineOf('something else', 300)];
    const find = (given: readonly JournalLine[]) =>
      findInReport({ ledger: world.ledger, batch }, sent, given, new Date(START));
    expect(await find(lines)).toMatchObject([
      { line: 2, finding: 'found' },
      { line: 3, finding: 'absent' },
    ]);
    expect(await find([...lines, lineOf(`inv ${fileId} 3`, 300)])).toMatchObject([
      {},
      { line: 3, finding: 'ambiguous' },
    ]);
  });
});
