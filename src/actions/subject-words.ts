import { SHOWN, shownOfState } from '../../schemas/shown.ts';
import { formatCents } from '../kernel/money.ts';
import type { BatchRow, FileRow, ProfileRow } from '../ledger/engine/records.ts';
import { groupDigits, groupedCount } from '../kernel/counted.ts';
import { sayMerchantOf } from '../ledger/merchant/read-merchants.ts';
import { readBlocks, readShownFile, showBatch } from '../explain/read-blocks.ts';
import { whoDid } from '../explain/why/sentence.ts';
import type { ActionContext, Facts } from './action.ts';

/** Formats as `240 rows, 12,340.00 USD`. */
export function sumWords(
  { settings }: Pick<ActionContext, 'settings'>,
  account: string,
  rows: number,
  cents: number,
): string {
  const currency = settings.accounts.get(account)?.currency;
  return [`${groupedCount(rows, 'row')}, ${groupDigits(formatCents(cents))}`, ...(currency ? [currency] : [])].join(
    ' ',
  );
}

/** Returns the first 12 digits, which are easier to compare than 64; the audit trail keeps the full hash. */
export function shortHash(sha256: string): string {
  return `${sha256.slice(0, 12)}…`;
}

type Shower = Pick<ActionContext, 'ledger' | 'settings'>;

/** Returns what a person compares before deciding on a file. */
export async function fileFacts({ ledger, settings }: Shower, file: FileRow): Promise<Facts> {
  const account = settings.accounts.get(file.account);
  const { shown } = await readShownFile(ledger, settings, file);
  return [
    ['File', file.name],
    ['Account', file.account],
    ['Merchant', await sayMerchantOf(ledger, file.account)],
    ['Operation', file.operation],
    ['State', SHOWN[shown].word],
    ['Rows', groupDigits(String(file.valid_rows ?? 0))],
    ['Total', { cents: file.valid_cents ?? 0, currency: account?.currency }],
    ['Invalid rows, withheld', file.invalid_rows ? groupDigits(String(file.invalid_rows)) : ''],
    ['Claimed', { at: file.claimed_at, timeZone: account?.timeZone }],
    ['SHA-256', shortHash(file.sha256)],
  ];
}

/** Returns the same for a batch. */
export async function batchFacts({ ledger, settings }: Shower, file: FileRow, batch: BatchRow): Promise<Facts> {
  const account = settings.accounts.get(batch.account);
  const { shown } = showBatch(batch, file, await readBlocks(ledger, settings));
  return [
    ['File', file.name],
    ['Batch', String(batch.batch_no)],
    ['Account', batch.account],
    ['Merchant', await sayMerchantOf(ledger, batch.account)],
    ['State', SHOWN[shown].word],
    ['Attempt', String(batch.attempt)],
    ['Batch id of the service', batch.batch_id ?? ''],
    ['Rows', groupDigits(String(batch.rows))],
    ['Total', { cents: batch.cents, currency: account?.currency }],
    ['Since', { at: batch.state_at, timeZone: account?.timeZone }],
    ['SHA-256', shortHash(batch.body_sha256)],
  ];
}

/** Returns the same for a version of a profile. */
export function versionFacts(version: ProfileRow): Facts {
  return [
    ['Profile', version.name],
    ['Version', String(version.version)],
    ['State', SHOWN[shownOfState(version.state)!].word],
    ['Imported by', whoDid(version.made_by)],
    ['Imported', { at: version.made_at }],
    ['SHA-256', shortHash(version.sha256)],
  ];
}

/** Formats as `quickbooks-dues version 3`. */
export function versionName({ name, version }: Pick<ProfileRow, 'name' | 'version'>): string {
  return `${name} version ${version}`;
}
