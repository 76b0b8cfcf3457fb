import { type Choose, chooser, flipBytes } from '../../simulation/choose.ts';
import { checkByBytes, checkByReference, type Outcome, outcomeOf } from './check-by-bytes.ts';
import { writeFile } from './write-file.ts';
import { type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import type { CheckRules } from '../../../src/csv/check/check-payment-file.ts';

/** Result of checking one file both ways. */
export type Compared = {
  readonly seed: number;
  /** Data rows; `valid` counts the valid ones. */
  readonly rows: number;
  readonly valid: number;
  /** The first difference, or undefined. It may show made-up numbers unmasked. */
  readonly difference: string | undefined;
};

/**
 * Writes the file of this seed and checks it by bytes and by the reference, in pieces cut at different places.
 * @param largestRows of the file
 * @param byBytes lets tests pass a check that overlooks something
 */
export async function compareFile(seed: number, largestRows: number, byBytes = checkByBytes): Promise<Compared> {
  const choose = chooser(seed);
  const rules = chooseRules(choose);
  const layout = chooseLayoutOf(choose, rules.operation);
  const written = writeFile(choose, rules, { layout, rows: choose.between(1, choose.one([3, 40, largestRows])) });
  const bytes = choose.happens(0.2) ? flipBytes(written, choose) : written;
  const groupLines = choose.one([1, 1, 2, 30, 512]);
  const plain = outcomeOf(await checkByReference(pieces(bytes, 65_536), rules, groupLines));
  const fast = await byBytes(
    pieces(bytes, choose.one([1 + (bytes.length >> 6), 977, 65_536, 1 << 20])),
    rules,
    groupLines,
  );
  return {
    seed,
    rows: plain.check.records,
    valid: plain.check.valid.rows,
    difference: findDifference(plain, fast),
  };
}

type Comparison = {
  /** Seed of the first file; each further file takes the next one. */
  readonly seed: number;
  /** Least number of rows to compare. */
  readonly rows: number;
  /** Of one file. */
  readonly largestRows: number;
  /** Lets tests pass a check that overlooks something. */
  readonly check?: typeof checkByBytes;
};

/** Totals of all files compared, and the result of the last one. */
type ComparedRows = { readonly rows: number; readonly valid: number; readonly last: Compared };

/** Compares files until enough rows were compared, or one file differs. */
export async function compareRows(comparison: Comparison): Promise<ComparedRows> {
  const { largestRows, check = checkByBytes } = comparison;
  const sum = { rows: 0, valid: 0 };
  for (let { seed } = comparison; ; seed += 1) {
    const last = await compareFile(seed, largestRows, check);
    sum.rows += last.rows;
    sum.valid += last.valid;
    if (last.difference !== undefined || sum.rows >= comparison.rows) return { ...sum, last };
  }
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function findDifference(plain: Outcome, fast: Outcome): string | undefined {
  if (JSON.stringify(plain) === JSON.stringify(fast)) return undefined;
  for (const part of ['payments', 'withheld', 'faults'] as const) {
    const [one, other] = [plain[part], fast[part]].map((list) => list.map((item) => JSON.stringify(item)));
    const at = one!.findIndex((item, index) => item !== other![index]);
    if (at >= 0) return `${part}: ${one![at]} by the reference, ${other![at]} by bytes`;
    if (one!.length !== other!.length) return `${part}: ${other![one!.length]} by bytes only`;
  }
  return `${JSON.stringify(plain.check)} by the reference, ${JSON.stringify(fast.check)} by bytes`;
}

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
