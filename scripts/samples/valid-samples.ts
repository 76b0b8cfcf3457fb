import type { FolderOperation } from '../../schemas/operations.ts';
import { headerOf, makeRows, type RowPlan } from './make-rows.ts';

/** `file` is relative to samples/; `account` is one of samples/paydrop.yaml. */
export type ValidSample = RowPlan & {
  file: string;
  operation: FolderOperation;
  account: 'main' | 'canada';
  hasHeader: boolean;
};

/** One file without faults per operation and layout. */
export const VALID_SAMPLES: readonly ValidSample[] = [
  // One sample shows that a header row is accepted.
  { ...plan('card', 'card', 'C', 24), file: 'card/card.csv', hasHeader: true },
  { ...plan('card', 'card-code', 'CC', 12), file: 'card/card-code.csv' },
  { ...plan('card', 'card-ca', 'CA', 10), file: 'card-canada/card-ca.csv', account: 'canada' },
  { ...plan('ach-charge', 'ach', 'A', 20), file: 'ach-charge/ach.csv' },
  { ...plan('ach-charge', 'ach-code', 'AC', 8), file: 'ach-charge/ach-code.csv' },
  { ...plan('ach-refund', 'ach', 'R', 6), file: 'ach-refund/ach.csv' },
  { ...plan('ach-refund', 'ach-code', 'RC', 5), file: 'ach-refund/ach-code.csv' },
];

/** A valid file that is taken once its empty marker file exists. */
export const MARKER_SAMPLE: ValidSample = {
  ...plan('ach-charge', 'ach-code', 'M', 6),
  file: 'marker/june-dues.csv',
};
export const MARKER_SUFFIX = '.done';

export function renderValidSample(sample: ValidSample): string {
  const header = sample.hasHeader ? [headerOf(sample.layout)] : [];
  return `${[...header, ...makeRows(sample)].join('\n')}\n`;
}

function plan(operation: FolderOperation, layout: RowPlan['layout'], invoices: string, rows: number) {
  const sign = operation === 'ach-refund' ? '-' : '';
  return { operation, layout, invoices, rows, sign, account: 'main', hasHeader: false } as const;
}
