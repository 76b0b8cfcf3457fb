import type { LayoutName } from '../../../schemas/layouts.ts';
import type { Fault } from '../../rows/rows.ts';
import type { CheckedRow } from './check-row.ts';
import type { PackedRows } from '../write/packed-rows.ts';

/**
 * A stretch of a payment file, checked. How many rows it has depends on their length only, never on how the bytes came.
 *
 * The buffers of `packed` are used again for the next group, so whoever takes it copies what it keeps before it asks for
 * the next; the objects of `withheld` and `faults` are its own.
 */
export type CheckedGroup = {
  /** Of the file; undefined as long as no row has the columns of a layout. Groups with valid rows have one. */
  readonly layout: LayoutName | undefined;
  /** The valid rows, in the order of their lines. */
  readonly packed: PackedRows;
  /** Rows without a payment, in the order of their lines. */
  readonly withheld: readonly CheckedRow[];
  /** Of all rows of the group, the warnings of valid ones too: by lines, and within a row as they were found. */
  readonly faults: readonly Fault[];
};
