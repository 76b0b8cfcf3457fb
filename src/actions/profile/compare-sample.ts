import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import type { Account, Folder } from '../../config/config.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { formatCents, LARGEST_TOTAL_CENTS, parseAmount } from '../../kernel/money.ts';
import type { LeftOut } from '../../ledger/engine/records.ts';
import type { Filled, Listing } from '../action.ts';

/** Where a sample would be dropped: its folder decides the operation, its account the country and currency. */
export type SamplePlace = { readonly folder: Folder; readonly account: Account };

/** What a profile makes of a sample. Money is integer cents, negative for refunds. */
export type SampleReading =
  | {
      readonly fits: true;
      /** The payments that it would send, and each of their amounts. */
      readonly rows: number;
      readonly cents: number;
      readonly amounts: Iterable<number>;
      readonly skipped: readonly LeftOut[];
      /** Their cells, and what would be sent; masked. */
      readonly listing?: Listing;
    }
  /** Why the file would be refused or held, a sentence each. */
  | { readonly fits: false; readonly says: readonly string[] };

/** Reads a sample as a drop would be read. Nothing is kept or sent. */
export type ReadSample = (profile: Profile, bytes: Buffer, place: SamplePlace) => Promise<SampleReading>;

/** A reading without a fault. */
export type FittingSample = Extract<SampleReading, { fits: true }>;

/** Number and total of payments, as the accounting system shows them. */
export type Typed = { readonly rows: number; readonly cents: number };

/** A file of the accounting system, what reads it, and where it would be dropped. */
export type Sample = { readonly profile: Profile; readonly bytes: Buffer; readonly place: SamplePlace };

/**
 * Reads a sample, and requires that it fits and has what the accounting system shows.
 * @throws PipelineError USAGE, SAMPLE_UNFIT, SAMPLE_DIFFERS
 */
export async function readAgreed(
  action: string,
  filled: Filled,
  { profile, bytes, place }: Sample,
  read: ReadSample,
): Promise<FittingSample> {
  const typed = readTyped(filled);
  const reading = await read(profile, bytes, place);
  if (!reading.fits)
    throw new PipelineError('SAMPLE_UNFIT', `read the sample for folder "${place.folder.id}"`, reading.says.join(' '));
  mustBeOfFolder(place, reading);
  mustAgree(action, typed, reading);
  return reading;
}

/** Requires payments of the folder's sign: the version then reads only in folders of that sign. */
function mustBeOfFolder({ folder: { id, operation } }: SamplePlace, { rows, cents }: FittingSample): void {
  const { sign } = FOLDER_OPERATIONS[operation];
  if (Math.sign(cents) === sign) return;
  const wanted = sign > 0 ? 'charges, so the total must be above zero' : 'refunds, so the total must be below zero';
  throw new PipelineError(
    'SAMPLE_UNFIT',
    `read the sample for folder "${id}"`,
    `the folder is for ${wanted}; the sample has ${said({ rows, cents })}`,
  );
}

/** @throws PipelineError USAGE when the figures are not a count and an amount */
export function readTyped({ rows = '', total = '' }: Filled): Typed {
  const action = 'compare the sample';
  if (!/^\d{1,9}$/.test(rows))
    throw new PipelineError('USAGE', action, 'the number of payments is not a whole number', {
      next: 'Write it as 24.',
    });
  const cents = parseAmount(withoutGroups(total), LARGEST_TOTAL_CENTS);
  if (typeof cents === 'number') return { rows: Number(rows), cents };
  throw new PipelineError('USAGE', action, 'the total is not an amount', { next: 'Write it as 1355.00.' });
}

function withoutGroups(total: string): string {
  return /^-?\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(total) ? total.replaceAll(',', '') : total;
}

/**
 * Requires that the sample has what the accounting system shows.
 * @throws PipelineError SAMPLE_DIFFERS with both figures, their difference and what may explain it
 */
export function mustAgree(action: string, typed: Typed, sample: FittingSample): void {
  if (typed.rows === sample.rows && isSame(typed.cents, sample.cents)) return;
  const difference = `the difference is ${said({ rows: typed.rows - sample.rows, cents: centsOff(typed, sample) })}`;
  const reason = `you gave ${said(typed)}, and the sample has ${said(sample)}; ${difference}`;
  throw new PipelineError('SAMPLE_DIFFERS', action, reason, {
    next: [...suspects(typed, sample), 'Nothing was confirmed. Compare both with the accounting system.'].join(' '),
  });
}

/** An accounting system may show refunds without their sign. */
function isSame(typed: number, read: number): boolean {
  return typed === read || (typed > 0 && typed === -read);
}

function centsOff(typed: Typed, { cents }: FittingSample): number {
  return typed.cents - (typed.cents > 0 ? Math.abs(cents) : cents);
}

function said({ rows, cents }: Typed): string {
  return `${groupedCount(rows, 'payment')} with ${groupDigits(formatCents(cents))}`;
}

/** Returns the usual causes of such a difference, a sentence each. */
function suspects(typed: Typed, sample: FittingSample): string[] {
  const off = Math.abs(centsOff(typed, sample));
  if (off === 0) return [];
  const left = sample.skipped.filter(({ cents }) => Math.abs(cents) === off);
  const factor = FACTORS.find((by) => isTimes(typed.cents, sample.cents, by) || isTimes(sample.cents, typed.cents, by));
  return [
    ...left.map(({ name }) => `The rows left out as "${name}" have just this sum.`),
    ...(hasAmount(sample, off) ? ['One payment of the sample has just this amount.'] : []),
    ...(factor === undefined ? [] : [`One total is ${factor} times the other: look at the decimal mark.`]),
    ...(off % 9 === 0 && typed.rows === sample.rows ? ['It is divisible by 9: two digits may be swapped.'] : []),
  ];
}

const FACTORS = [100, 1_000] as const;

function isTimes(one: number, other: number, factor: number): boolean {
  return Math.abs(one) === Math.abs(other) * factor;
}

function hasAmount({ amounts }: FittingSample, cents: number): boolean {
  for (const amount of amounts) if (Math.abs(amount) === cents) return true;
  return false;
}
