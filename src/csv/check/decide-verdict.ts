import { byNumber, counted } from '../../kernel/counted.ts';
import type { Fault } from '../../rows/rows.ts';
import type { RecordsFound } from './check-records.ts';
import type { CheckRules } from './check-rules.ts';
import type { faultTally } from './fault-tally.ts';
import type { FileShape } from '../read/blank-lines.ts';

type Findings = FileShape & RecordsFound & { readonly bytes: number };

/**
 * Decides the verdict on a file once all its rows are checked. A fault that rejects it, or no valid row, rejects the
 * file. Otherwise a fault that holds it holds the file.
 * @returns also the faults that only the whole file shows; they are in the tally
 */
export function decideVerdict(
  found: Findings,
  rules: CheckRules,
  tally: ReturnType<typeof faultTally>,
): { verdict: 'accept' | 'hold' | 'reject'; faults: Fault[] } {
  const faults = [...checkContent(found), ...checkLines(found, rules), ...checkBadRows(found, rules, tally)];
  faults.forEach(tally.count);
  const isRefusedForRows = rules.folder.badRows.policy === 'reject-file' && tally.has('row');
  if (isRefusedForRows || tally.has('reject')) return { verdict: 'reject', faults: [...faults, ...tally.summarise()] };
  if (found.valid.rows > 0) return { verdict: tally.has('hold') ? 'hold' : 'accept', faults };
  // Nothing could be approved, and an accepted file without a payment could never be completed.
  const detail = byNumber(found.records, 'its only row is not valid', `none of its ${found.records} rows is valid`);
  const nothingToSend: Fault = { code: 'NO_ROWS', line: 0, detail };
  tally.count(nothingToSend);
  return { verdict: 'reject', faults: [...faults, nothingToSend] };
}

function checkContent(found: Findings): Fault[] {
  if (found.bytes === 0) return [{ code: 'EMPTY', line: 0 }];
  return found.records === 0 ? [{ code: 'NO_ROWS', line: 0 }] : [];
}

/** Checks that the lines read match the rows checked (control total H2); the two are counted separately. */
function checkLines(found: Findings, rules: CheckRules): Fault[] {
  const faults: Fault[] = [];
  const lines = found.physicalLines - found.blankLines;
  const expected = found.records + (found.headerLine === null ? 0 : 1);
  if (lines !== expected) {
    faults.push({ code: 'LINES_DIFFER', line: 0, detail: `${counted(lines, 'line')}, ${counted(expected, 'row')}` });
  }
  if (found.isLastLineOpen) {
    const code = rules.folder.finalNewline === 'hold' ? 'NO_FINAL_NEWLINE' : 'LAST_LINE_OPEN';
    faults.push({ code, line: found.physicalLines });
  }
  if (found.mixesLineEnds) faults.push({ code: 'MIXED_LINE_ENDS', line: 0 });
  return faults;
}

function checkBadRows(found: Findings, rules: CheckRules, tally: ReturnType<typeof faultTally>): Fault[] {
  const { policy, maxPercent } = rules.folder.badRows;
  const invalid = found.records - found.valid.rows;
  const figures = `${invalid} of ${counted(found.records, 'row')} ${byNumber(invalid, 'is', 'are')} invalid`;
  if (policy === 'reject-file' && tally.has('row')) {
    return [{ code: 'TOO_MANY_BAD_ROWS', line: 0, detail: `${figures}; the folder takes none` }];
  }
  // Multiplied out, because a share such as 10 % is inexact in floating point.
  if (invalid * 100 <= found.records * maxPercent) return [];
  return [{ code: 'TOO_MANY_BAD_ROWS', line: 0, detail: `${figures}; the folder takes ${maxPercent} %` }];
}
