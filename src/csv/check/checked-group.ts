import type { LayoutName } from '../../../schemas/layouts.ts';
import type { Fault } from '../../rows/rows.ts';
import type { CheckedRow } from './check-row.ts';
import type { PackedRows } from '../write/packed-rows.ts';

/**
 * A checked part of a payment file. Its number of rows depends only on their length, not on how the bytes arrive.
 *
 * The next group reuses the buffers of `packed`, so the caller copies what it keeps first. The objects of `withheld`
 * and `faults` are the caller's own.
 */
export type CheckedGroup = {
  /** Layout of the file; undefined until a row has the columns of one. Groups with valid rows have one. */
  readonly layout: LayoutName | undefined;
  /** The valid rows, in line order. */
  readonly packed: PackedRows;
  /** Rows without a payment, in line order. */
  readonly withheld: readonly CheckedRow[];
  /** Faults of all rows of the group, including warnings of valid rows: in line order, within a row as found. */
  readonly faults: readonly Fault[];
};
