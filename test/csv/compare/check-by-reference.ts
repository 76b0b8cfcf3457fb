import { recordChecker } from '../../../src/csv/check/check-records.ts';
import {
  byteCounter,
  type CheckedRow,
  type CheckRules,
  decideVerdict,
  type FileCheck,
} from '../../../src/csv/check/check-payment-file.ts';
import { faultTally } from '../../../src/csv/check/fault-effect.ts';
import { newFileShape } from '../../../src/csv/read/split-lines.ts';
import { tellKind } from '../../../src/csv/read/tell-kind.ts';
import { splitPayments } from '../../../src/csv/read/split-cells.ts';
import { readLines } from './read-records.ts';

/** Full result of a check: its rows, valid or not, in line order, and its final figures. */
export type Reading = { readonly rows: readonly CheckedRow[]; readonly check: FileCheck };

/**
 * Checks a payment file the plain way: it decodes everything, cuts lines into texts and applies each text's rule. It is
 * slow and easy to follow, so the check by bytes must agree with it.
 */
export async function checkByReference(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  groupLines?: number,
): Promise<Reading> {
  const counter = byteCounter();
  const shape = newFileShape();
  const tally = faultTally(rules.folder);
  const checker = recordChecker(rules, tally);
  const rows: CheckedRow[] = [];
  const pieces: Uint8Array[] = [];
  for await (const piece of counter.pass(source)) pieces.push(piece);
  const kind = tellKind(Buffer.concat(pieces));
  if (kind) checker.refuse({ code: 'NOT_CSV', line: 0, detail: kind });
  for await (const lines of readLines(kind ? [] : pieces, rules.folder.charset, shape, groupLines)) {
    rows.push(...checker.checkGroup(splitPayments(lines), lines));
  }
  const { layout, headerLine, faults, ...found } = checker.close();
  const decided = decideVerdict(
    { ...shape, layout, headerLine, faults, ...found, bytes: counter.size() },
    rules,
    tally,
  );
  const check: FileCheck = {
    verdict: decided.verdict,
    layout,
    headerLine,
    faults: [...faults, ...decided.faults],
    faultCounts: tally.counts(),
    bytes: counter.size(),
    sha256: counter.sha256(),
    physicalLines: shape.physicalLines,
    blankLines: shape.blankLines,
    records: found.records,
    valid: found.valid,
    invalid: { rows: found.records - found.valid.rows },
    declaredCents: found.declaredCents,
  };
  return { rows, check };
}
