import type { FolderConfig } from '../../../schemas/config.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { Completeness } from '../../../schemas/lifecycle.ts';
import { queryInOne } from '../engine/query-together.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow, TakenForm } from '../engine/records.ts';
import { transact } from '../engine/transaction.ts';
import { linkUpload } from '../transfer/note-upload.ts';
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
 * Makes the move `claim`: the file was renamed out of its drop folder, hashed and sealed. Repeating it changes nothing,
 * so a start after a crash may do so. It also ends the count of the file's readings (count-readings.ts). In a folder
 * with a profile it records the version that is confirmed now, which reads the file whatever is confirmed later.
 * @returns whether the file was new to the ledger
 * It is bound to the merchant that its account means now.
 * @throws PipelineError PROFILE_UNCONFIRMED; MERCHANT_CHANGED when the ledger and this process mean different ones
 */
export async function claimFile(ledger: Ledger, file: ClaimedFile): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { profile, operation } = file;
    const version = profile === undefined ? null : await mustBeConfirmed(tx.client, { profile, operation });
    const { rowCount } = await tx.client.query(
      `WITH forgotten AS (DELETE FROM reading WHERE file_id = $1),
       taken AS (
         INSERT INTO file (file_id, account, folder, operation, name, state, state_at, bytes, sha256, completeness,
                           claimed_at, archive, charset, control, site, profile_version, seen_at,
                           output_form, known_at, merchant_no, meant_for)
         SELECT $1, a.account, $3, $4, $5, 'claimed', $6, $7, $8, $9, $10, $12, $13, $14, $15, $16, $17, $18, ${tx.databaseNow},
                a.merchant_no, CASE WHEN $20::text IS NOT NULL AND NOT EXISTS (
                  SELECT FROM merchant_address p WHERE p.merchant_no = a.merchant_no
                    AND concat_ws(' ', p.mark, a.country, a.currency) = $20) THEN $21 END
         FROM account a WHERE a.account = $2 AND is_bound(a.account, $19)
         ON CONFLICT (file_id) DO NOTHING RETURNING file_id)
       INSERT INTO file_secret (file_id, wrapped_key) SELECT file_id, $11 FROM taken`,
      [
        file.fileId,
        file.account,
        file.folder,
        file.operation,
        file.name,
        tx.at,
        file.bytes,
        file.sha256,
        file.completeness,
        file.claimedAt,
        file.wrappedKey,
        file.archive,
        file.charset,
        file.control ? JSON.stringify(file.control) : null,
        file.site,
        version,
        file.seenAt,
        JSON.stringify(file.outputForm),
        boundKeys(ledger),
        file.merchant ?? null,
        file.takenFor ?? file.account,
      ],
    );
    if (rowCount === 0) {
      const { rowCount: isKnown } = await tx.client.query('SELECT FROM file WHERE file_id = $1', [file.fileId]);
      if (!isKnown) throw otherMerchant(file.account);
      return false;
    }
    tx.audit({
      actor: 'worker:watch',
      fileId: file.fileId,
      move: 'claim',
      to: 'claimed',
      reason: `taken from folder ${file.folder}`,
      evidence: { bytes: file.bytes, sha256: file.sha256, completeness: file.completeness },
    });
    tx.count('paydrop_file_moves_total', { account: file.account, state: 'claimed' });
    await queryInOne(tx, (asked) => [linkResubmission(asked, file), linkUpload(asked, file)]);
    return true;
  });
}
