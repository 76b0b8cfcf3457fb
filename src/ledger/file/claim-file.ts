import type { FolderConfig } from '../../../schemas/config.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { Completeness } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow, TakenForm } from '../engine/records.ts';
import { storableJson } from '../engine/storable-text.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { linkUpload } from './note-upload.ts';
import { findKnownFiles } from './read-file.ts';
import { mustBeConfirmed } from '../profile/read-profiles.ts';
import { boundKeys, otherMerchant } from '../merchant/bound-accounts.ts';
import { linkResubmission } from '../row/resubmissions.ts';

export type ClaimedFile = {
  fileId: string;
  account: string;
  site: string;
  folder: string;
  operation: FolderOperation;
  /** The sender's name, with long digit runs masked. */
  name: string;
  bytes: number;
  sha256: string;
  completeness: Completeness;
  claimedAt: Date;
  wrappedKey: Buffer;
  /** Path of the sealed original, relative to the archive. */
  archive: string;
  charset: FolderConfig['charset'];
  control: FileRow['control'];
  /** Name of the profile of its folder. */
  profile?: string | undefined;
  seenAt: Date;
  outputForm: TakenForm;
  /** Whom its account meant when it was taken (meaningKey); undefined when nobody noted it. */
  merchant?: string | undefined;
  /** The name that its account had then; by default the present one. */
  takenFor?: string | undefined;
};

/**
 * Makes the move `claim` of files, one or many, in this order: each was renamed out of its drop folder, hashed and sealed.
 * Repeating it changes nothing, so a start after a crash may do so. It also ends the count of their readings
 * (count-readings.ts). In a folder with a profile it records the version that is confirmed now, which reads the file whatever
 * is confirmed later. Each is bound to the merchant that its account means now.
 * @returns the ids of those that were new to the ledger
 * @throws PipelineError PROFILE_UNCONFIRMED; MERCHANT_CHANGED when the ledger and this process mean different ones. Then
 *   none is recorded
 */
export async function claimFiles(ledger: Ledger, files: readonly ClaimedFile[]): Promise<ReadonlySet<string>> {
  return transact(ledger, async (tx) => {
    const versions = await readVersions(tx, files);
    const { rows } = await tx.client.query<{ file_id: string; may_be_resubmitted: boolean; may_be_uploaded: boolean }>(
      `SELECT * FROM commit_claims($1, ${tx.databaseNow}, $2, $3)`,
      [tx.at, boundKeys(ledger), storableJson(files.map((file, place) => toCommit(file, versions[place])))],
    );
    const others = files.filter(({ fileId }) => !rows.some((row) => row.file_id === fileId));
    await mustBeKnown(tx, others);
    for (const row of rows) {
      const file = files.find(({ fileId }) => fileId === row.file_id)!;
      tx.audit({
        actor: 'worker:watch',
        fileId: file.fileId,
        move: 'claim',
        to: 'claimed',
        reason: `taken from folder ${file.folder}`,
        evidence: { bytes: file.bytes, sha256: file.sha256, completeness: file.completeness },
      });
      tx.count('paydrop_file_moves_total', { account: file.account, state: 'claimed' });
      if (row.may_be_resubmitted) await linkResubmission(tx, file);
      if (row.may_be_uploaded) await linkUpload(tx, file);
    }
    return new Set(rows.map((row) => row.file_id));
  });
}

/** Returns the number of the version that reads each file; undefined in a folder without a profile. */
async function readVersions({ client }: Transaction, files: readonly ClaimedFile[]): Promise<(number | undefined)[]> {
  const known = new Map<string, number>();
  const versions: (number | undefined)[] = [];
  for (const { profile, operation } of files) {
    const name = `${profile} ${operation}`;
    if (profile !== undefined && !known.has(name))
      known.set(name, await mustBeConfirmed(client, { profile, operation }));
    versions.push(profile === undefined ? undefined : known.get(name));
  }
  return versions;
}

/** @throws PipelineError MERCHANT_CHANGED when a file is neither new nor known */
async function mustBeKnown({ client }: Transaction, files: readonly ClaimedFile[]): Promise<void> {
  if (files.length === 0) return;
  const known = await findKnownFiles(
    client,
    files.map(({ fileId }) => fileId),
  );
  const left = files.find(({ fileId }) => !known.has(fileId));
  if (left) throw otherMerchant(left.account);
}

/** Returns what `read_claims` in schemas/ledger/claim.sql takes. */
function toCommit(
  { wrappedKey, profile: _profile, takenFor, ...file }: ClaimedFile,
  profileVersion: number | undefined,
) {
  return {
    ...file,
    takenFor: takenFor ?? file.account,
    wrappedKey: wrappedKey.toString('base64'),
    control: file.control ?? undefined,
    profileVersion,
  };
}
