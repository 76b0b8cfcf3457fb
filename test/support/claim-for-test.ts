import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { claimFiles, type ClaimedFile } from '../../src/ledger/file/claim-file.ts';
import { bindForTest } from './bind-for-test.ts';

/** Claims a file of an account that this process may use, whoever bound it. */
export async function claimForTest(ledger: Ledger, file: ClaimedFile): Promise<boolean> {
  await bindForTest(ledger, file.account);
  return (await claimFiles(ledger, [file])).has(file.fileId);
}
