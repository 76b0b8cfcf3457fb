import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RowFinding } from '../../../src/rows/rows.ts';
import { countFindings, keepReport, type NewReport } from '../../../src/ledger/doubt/keep-report.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'what the report says' };
const ABSENT: RowFinding = {
  line: 3,
  finding: 'absent',
  outcome: null,
  code: null,
  message: '',
  authorization: '',
  transactionId: '',
};
const FOUND: RowFinding = {
  ...ABSENT,
  line: 2,
  finding: 'found',
  outcome: 'declined',
  code: 15,
  message: 'REJ:15\u0000',
  transactionId: 'A1',
};

describe('keepReport', () => {
  it('keeps what is said of each row once, however often it is given', async () => {
    const batch = await world.batchIn('unknown');
    const report: NewReport = {
      attempt: 1,
      name: 'report.csv',
      sha256: 'a'.repeat(64),
      lines: 9,
      oldestAt: null,
      newestAt: world.clock.now(),
      covers: true,
      findings: [FOUND, ABSENT],
    };
    const keep = () => transact(world.ledger, (tx) => keepReport(tx, keyOf(batch), report, because));
    expect([await keep(), await keep()]).toEqual([true, false]);
    const { rows } = await world.ledger.pool.query(
      'SELECT line, finding, outcome, code, message, transaction_id FROM row_finding ORDER BY line',
    );
    expect(rows).toMatchObject([
      { line: 2, finding: 'found', outcome: 'declined', code: 15, transaction_id: 'A1' },
      { line: 3, finding: 'absent', outcome: null, code: null, transaction_id: '' },
    ]);
    const links = (await world.links(batch.file_id)).filter((link) => link.move === 'read-report');
    expect(links).toMatchObject([{ ...because, evidence: { name: 'report.csv', lines: 9, found: 1, absent: 1 } }]);
    await expect(world.ledger.pool.query(`UPDATE row_finding SET outcome = 'approved'`)).rejects.toThrow(
      'written once',
    );
  });
});

describe('countFindings', () => {
  it('counts each kind, also none', () => {
    expect(countFindings([FOUND, ABSENT, ABSENT])).toEqual({ found: 1, absent: 2, ambiguous: 0 });
    expect(countFindings([])).toEqual({ found: 0, absent: 0, ambiguous: 0 });
  });
});
