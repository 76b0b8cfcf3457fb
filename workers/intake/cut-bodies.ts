import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import type { PackedRows } from '../../src/csv/write/packed-rows.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { checkBody } from './check-body.ts';
import { confusableRows } from './confusable-rows.ts';

/** The body of a batch: exactly the bytes that will be sent, checked by a second reader. */
export type Body = {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly rows: number;
  readonly cents: number;
  /** Lines of the first and last row. */
  readonly firstLine: number;
  readonly lastLine: number;
};

/** Returns the purpose that the seal of a batch body is bound to. */
export function bodyPurpose(batchNo: number): string {
  return `body:${batchNo}`;
}

/**
 * Gathers the bytes of rows until a batch is full, or the next row could be confused with one in it. It holds one batch
 * and reuses the memory.
 * @param maxRows of a batch
 */
export function bodyCutter(maxRows: number, layout: LayoutName) {
  const confusable = confusableRows(layout);
  let bytes = Buffer.alloc(FIRST_BYTES);
  let at = 0;
  const cents = new Float64Array(maxRows);
  let rows = 0;
  let firstLine = 0;
  let lastLine = 0;

  /** Returns the row up to which the current batch takes the group; `from` itself when a cut comes first. */
  function endOfRoom({ bytes: group, starts }: PackedRows, from: number, to: number): number {
    const end = Math.min(to, from + maxRows - rows);
    for (let row = from; row < end; row += 1) if (confusable.isConfusable(group, starts[row]!)) return row;
    return end;
  }

  /** Adds rows of a group up to the row that `endOfRoom` returned. */
  function add(packed: PackedRows, from: number, to: number): void {
    if (from === to) return;
    const run = packed.bytes.subarray(packed.starts[from], packed.starts[to]);
    if (at + run.length > bytes.length) bytes = Buffer.concat([bytes], 2 * (at + run.length));
    bytes.set(run, at);
    at += run.length;
    cents.set(packed.cents.subarray(from, to), rows);
    if (rows === 0) firstLine = packed.lines[from]!;
    lastLine = packed.lines[to - 1]!;
    rows += to - from;
  }

  /**
   * Returns the body of the rows since the last cut, without its last line end; undefined when there are none.
   * @throws PipelineError BODY_MISMATCH
   */
  function cut(): Body | undefined {
    if (rows === 0) return undefined;
    const body = bytes.subarray(0, at - 1);
    const sum = checkBody(body, columnsOf(layout), cents.subarray(0, rows));
    const made = { bytes: body, sha256: sha256Of(body), rows, cents: sum, firstLine, lastLine };
    at = 0;
    rows = 0;
    confusable.clear();
    return made;
  }

  return { endOfRoom, add, isFull: () => rows === maxRows, cut };
}

const FIRST_BYTES = 65_536;
