import { parseProfile, profileHash } from '../../../src/csv/profile/profile-text.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import type { ProfileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { confirmVersion, type ConfirmedSample, importVersion } from '../../../src/ledger/profile/move-profile.ts';

/** A profile of a file with customer codes. */
export const PROFILE_TEXT = `layout: card-code
read: { charset: utf-8, separator: comma }
head: { titles: [Number, Customer, Memo, Due] }
columns:
  invoice: { from: Number }
  customerCode: { from: Customer }
  amount: { from: Due, number: { decimal: '.' }, sign: as-written }
  comment: { from: Memo, empty: keep }
`;

export const SAMPLE: ConfirmedSample = {
  sha256: 'c'.repeat(64),
  rows: 24,
  cents: 135_500,
  skipped: [{ name: 'Payment', rows: 2, cents: -6_000 }],
};

/** Imports a text as a draft, as a person would; also one that is no profile. */
export async function putDraft(
  ledger: Ledger,
  name: string,
  text = PROFILE_TEXT,
  actor = 'operator:ada',
  firstFiles = 1,
): Promise<ProfileRow> {
  const parsed = parseProfile(text);
  const sha256 = 'profile' in parsed ? profileHash(parsed.profile) : sha256Of(Buffer.from(text));
  const draft = { name, text, sha256, firstFiles };
  return (await importVersion(ledger, draft, { actor, reason: 'new export' })).version;
}

/** Imports a text and confirms it. */
export async function putConfirmed(
  ledger: Ledger,
  name: string,
  text?: string,
  firstFiles?: number,
  sample = SAMPLE,
): Promise<ProfileRow> {
  const { profile_no: no } = await putDraft(ledger, name, text, undefined, firstFiles);
  const because = { actor: 'operator:grace', reason: 'the total agrees' };
  return transact(ledger, (tx) => confirmVersion(tx, no, sample, because));
}
