import { type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import type { CheckRules } from '../../../src/csv/check/check-payment-file.ts';
import type { Choose } from '../../simulation/choose.ts';

/** Returns rules of any account and folder, as a configuration might state them. */
export function chooseRules(choose: Choose): CheckRules {
  const account = choose.one([
    { server: 'NA', country: 'US', currency: 'USD' },
    { server: 'NA', country: 'CA', currency: 'CAD' },
    { server: 'UK', country: 'UK', currency: 'GBP' },
  ] as const);
  const operation = choose.one(Object.keys(FOLDER_OPERATIONS) as FolderOperation[]);
  return {
    operation,
    account,
    today: '2026-06-15',
    ...(choose.happens(0.3) && { largestRowCents: 100_000 }),
    folder: {
      ...(choose.happens(0.2) && { layout: chooseLayoutOf(choose, operation) }),
      header: choose.one(['auto', 'auto', 'none', 'required']),
      charset: choose.one(['utf-8', 'utf-8', 'windows-1252', 'iso-8859-1']),
      finalNewline: choose.one(['warn', 'hold']),
      textCommas: choose.one(['replace', 'reject']),
      badRows: choose.one([
        { policy: 'withhold', maxPercent: 10 },
        { policy: 'reject-file', maxPercent: 10 },
      ]),
      duplicateRows: choose.one(['hold', 'reject', 'warn']),
      sameTotals: 'warn',
      chargedBefore: 'hold',
      routingCheck: choose.happens(0.3),
    },
  };
}

export function chooseLayoutOf(choose: Choose, operation: FolderOperation): LayoutName {
  const names = Object.keys(LAYOUTS) as LayoutName[];
  return choose.one(names.filter((name) => (LAYOUTS[name].operations as readonly string[]).includes(operation)));
}
