import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { CheckedRow, CheckRules, FileCheck } from '../../src/csv/check/check-payment-file.ts';
import type { CellRule } from '../../src/csv/rules/text.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { checkByBytes, outcomeOf } from './compare/check-by-bytes.ts';
import { checkByReference } from './compare/check-by-reference.ts';

export const VISA = '4222222222222220';
export const OTHER_VISA = '4111111111111111';
export const ACCOUNT = '02100002100000000000000001';
export const CARD_HEADER =
  'Date,Invoice #,First Name,Last Name,Street,City,State,Zip Code,Amount,MOP,Credit Card #,Expiry';

type Settings = Partial<Omit<CheckRules, 'folder'>> & { folder?: Partial<CheckRules['folder']> };

export function rulesWith({ folder, ...settings }: Settings = {}): CheckRules {
  return {
    operation: 'card',
    account: { server: 'NA', country: 'US', currency: 'USD' },
    today: '2026-06-15',
    ...settings,
    folder: {
      header: 'auto',
      charset: 'utf-8',
      finalNewline: 'warn',
      textCommas: 'replace',
      badRows: { policy: 'withhold', maxPercent: 10 },
      duplicateRows: 'hold',
      sameTotals: 'hold',
      chargedBefore: 'hold',
      routingCheck: false,
      ...folder,
    },
  };
}

const CARD_CELLS = {
  date: '06/15/2026',
  invoice: 'INV-1',
  firstName: 'Ada',
  lastName: 'Byron',
  street: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  amount: '25.00',
  mop: 'VISA',
  cardNumber: VISA,
  expiry: '1228',
};
const ACH_CELLS = {
  invoice: 'INV-1',
  firstName: 'Ada',
  lastName: 'Byron',
  accountType: 'CHECKING',
  accountNumber: ACCOUNT,
  amount: '5.00',
  comment: 'Gift',
};

/** Returns a valid row of layout `card` with the given cells, unquoted. */
export function cardLine(cells: Partial<typeof CARD_CELLS> = {}): string {
  return Object.values({ ...CARD_CELLS, ...cells }).join(',');
}

/** Returns a valid row of layout `ach` with the given cells. */
export function achLine(cells: Partial<typeof ACH_CELLS> = {}): string {
  return Object.values({ ...ACH_CELLS, ...cells }).join(',');
}

/** Returns valid card rows with different invoices. */
export function cardLines(count: number): string[] {
  return Array.from({ length: count }, (_, index) => cardLine({ invoice: `N-${index + 1}` }));
}

export async function* chunksOf(bytes: Uint8Array | string, size = 65_536): AsyncGenerator<Uint8Array> {
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  for (let start = 0; start < buffer.length; start += size) yield buffer.subarray(start, start + size);
}

export type Checked = FileCheck & { rows: readonly CheckedRow[]; rowFaults: Fault[]; codes: string[] };

/**
 * Checks a whole file as paydrop does and by the reference, and requires the same result. `codes` holds those of all
 * faults, rows first.
 */
export async function checkAll(
  bytes: Uint8Array | string | AsyncIterable<Uint8Array>,
  settings: Settings = {},
): Promise<Checked> {
  const source = typeof bytes === 'string' || bytes instanceof Uint8Array ? chunksOf(bytes) : bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  const rules = rulesWith(settings);
  // Groups of one line give the layout early, so short files are scanned as bytes too.
  const early = outcomeOf(await checkByReference(Readable.from(pieces), rules, 1));
  expect(await checkByBytes(Readable.from(pieces), rules, 1)).toEqual(early);
  const { rows, check } = await checkByReference(Readable.from(pieces), rules);
  expect(await checkByBytes(Readable.from(pieces), rules)).toEqual(outcomeOf({ rows, check }));
  const rowFaults = rows.flatMap((row) => row.faults);
  return { ...check, rows, rowFaults, codes: [...rowFaults, ...check.faults].map((fault) => fault.code) };
}

/** Returns what a rule makes of a cell: the codes it reports, then its canonical form, if any. */
export function apply(rule: CellRule, cell: string): string {
  const codes: string[] = [];
  const value = rule(cell, (code) => codes.push(code));
  return [...codes, ...(value === '' ? [] : [value])].join(' ');
}
