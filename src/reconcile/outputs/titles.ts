import { COLUMNS } from '../../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';

/** Returns the column titles of a layout, in the spec's words. */
export function titlesOf(layout: LayoutName): string[] {
  return columnsOf(layout).map((column) => COLUMNS[column].title);
}

/** Columns that the result file adds after the input's. */
export const RESULT_TITLES = [
  'Outcome',
  'Code',
  'Message',
  'Authorization',
  'Batch Id',
  'Sent At',
  'Result At',
  'Attempt',
] as const;

/** Columns that a correction adds after the result file's. */
export const CHANGE_TITLES = ['Old Outcome', 'Old Code', 'Old Message', 'Changed At', 'Evidence'] as const;

export { REASON_TITLE } from '../../../schemas/layouts.ts';
