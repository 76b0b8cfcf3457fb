import type { FaultCode } from '../../../schemas/errors.ts';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type { Fault, Totals } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import type { CheckedGroup } from './checked-group.ts';
import { blockChecker } from './check-blocks.ts';
import { byteCounter } from '../read/count-bytes.ts';
import { decideVerdict } from './decide-verdict.ts';
import { faultTally } from './fault-tally.ts';
import { openPlainText } from '../read/open-plain-text.ts';
import { readBlocks } from '../read/read-blocks.ts';
import { GROUP_LINES, newFileShape } from '../read/blank-lines.ts';
import { recordChecker } from './check-records.ts';

export type { CheckedRow } from './check-row.ts';
export type { CheckedGroup } from './checked-group.ts';
export type { CheckRules } from './check-rules.ts';

/** What is known of a payment file once its last byte is read. */
export type FileCheck = {
  readonly verdict: 'accept' | 'hold' | 'reject';
  /** Null when no row has the columns of a layout. */
  readonly layout: LayoutName | null;
  readonly headerLine: number | null;
  /** Faults and warnings of the file as a whole and of its header; those of rows come with their rows. */
  readonly faults: readonly Fault[];
  /** Counts of all faults, including those of rows. */
  readonly faultCounts: Readonly<Partial<Record<FaultCode, number>>>;
  readonly bytes: number;
  readonly sha256: string;
  readonly physicalLines: number;
  readonly blankLines: number;
  /** Data rows, including unreadable ones: the valid and the invalid rows (control total H3). */
  readonly records: number;
  readonly valid: Totals;
  readonly invalid: { readonly rows: number };
  /** Sum of all readable amounts, including withheld rows. The sender's control total is compared with it. */
  readonly declaredCents: number;
};

export type CheckOptions = {
  /** Approximate size of the file. If set, the duplicate table can grow to its final size in one step. */
  readonly contentBytes?: number;
  /** Lines searched for header and layout; tests use fewer, so that short files are scanned. */
  readonly groupLines?: number;
};

/**
 * Reads a payment file once, from its first byte to its last, and checks every row. It yields rows in groups, only as
 * fast as the caller takes them. Apart from the table of duplicates, memory does not grow with the file.
 *
 * It never gives up halfway: one pass reports all faults, and size and hash cover the whole file. It yields only the
 * first thousand broken lines.
 * @returns the verdict and the totals, after all rows
 */
export async function* checkPaymentFile(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  { contentBytes = 0, groupLines = GROUP_LINES }: CheckOptions = {},
): AsyncGenerator<CheckedGroup, FileCheck> {
  const counter = byteCounter();
  const shape = newFileShape();
  const tally = faultTally(rules.folder);
  let bytesChecked = 0;
  const checker = recordChecker(rules, tally, {
    readShare: () => (contentBytes > 0 ? bytesChecked / contentBytes : 0),
  });
  const text = await openPlainText(counter.pass(source), rules.folder.charset);
  const { checkBlock } = blockChecker({ rules, groupLines, checker, tally, shape, decodeLine: text.decodeLine });
  for await (const block of readBlocks(text.source)) {
    bytesChecked += block.bytes.length;
    const group = checkBlock(block);
    if (group.packed.count + group.faults.length > 0) yield group;
  }
  const found = checker.close();
  const { verdict, faults } = decideVerdict({ ...shape, ...found, bytes: counter.size() }, rules, tally);
  return {
    verdict,
    layout: found.layout,
    headerLine: found.headerLine,
    faults: [...found.faults, ...faults],
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
}
