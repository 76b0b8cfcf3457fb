import { describe, expect, it } from 'vitest';
import type { RowFinding } from '../../../src/rows/rows.ts';
import { decideRow, type KeptReport } from '../../../src/ledger/doubt/decide-rows.ts';

const HOUR_MS = 3_600_000;
const calledAt = new Date('2026-06-15T10:00:00Z');
const times = { calledAt, waitMs: 24 * HOUR_MS };

function hoursLater(hours: number): Date {
  return new Date(calledAt.getTime() + hours * HOUR_MS);
}

/** A report given `atHours` after the call, with its newest line `newestHours` after it. */
function report(reportNo: number, atHours: number, newestHours: number, covers = true): KeptReport {
  return { reportNo, covers, newestAt: hoursLater(newestHours), at: hoursLater(atHours) };
}

function says(reportNo: number, finding: RowFinding['finding'], outcome: RowFinding['outcome'] = null) {
  return { reportNo, line: 2, finding, outcome, code: null, message: 'm', authorization: '', transactionId: '' };
}

const FIRST = report(1, 2, 1);
const SECOND = report(2, 26, 25);

describe('decideRow', () => {
  it('takes the outcome of the latest report that shows the row, whatever others lack', () => {
    const findings = [says(1, 'found', 'accepted_pending'), says(2, 'found', 'declined'), says(3, 'absent')];
    const row = decideRow(2, findings, [FIRST, SECOND, report(3, 60, 59)], times);
    expect(row).toMatchObject({ line: 2, outcome: 'declined', message: 'm' });
  });

  it('takes a row for not charged when two reports lack it, the second long after the first and reaching further', () => {
    const row = decideRow(2, [says(1, 'absent'), says(2, 'absent')], [FIRST, SECOND], times);
    expect(row).toMatchObject({ outcome: 'not_charged', authorization: '' });
  });

  it.each<[string, ReturnType<typeof says>[], KeptReport[]]>([
    ['no report was given', [], []],
    ['one report lacks it', [says(1, 'absent')], [FIRST]],
    ['the second was given too early', [says(1, 'absent'), says(2, 'absent')], [FIRST, report(2, 25.9, 25)]],
    ['the second reaches no further', [says(1, 'absent'), says(2, 'absent')], [report(1, 2, 25), SECOND]],
    ['the second ends too soon after the call', [says(1, 'absent'), says(2, 'absent')], [FIRST, report(2, 26, 23.9)]],
    ['the first proves nothing', [says(1, 'absent'), says(2, 'absent')], [report(1, 2, 1, false), SECOND]],
    ['the second proves nothing', [says(1, 'absent'), says(2, 'absent')], [FIRST, report(2, 26, 25, false)]],
    ['the second has no times', [says(1, 'absent'), says(2, 'absent')], [FIRST, { ...SECOND, newestAt: null }]],
    ['one report may show it', [says(1, 'absent'), says(2, 'absent'), says(3, 'ambiguous')], [FIRST, SECOND]],
  ])('leaves a row in doubt when %s', (_why, findings, reports) => {
    expect(decideRow(2, findings, reports, times)).toBeUndefined();
  });
});
