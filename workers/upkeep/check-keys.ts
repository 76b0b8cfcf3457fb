import type { App } from '../../src/app.ts';
import { foldersHere } from '../../src/config/config.ts';

/**
 * Before anything starts: the OpenPGP keys of the accounts whose folders lie here can be opened. Otherwise the first
 * encrypted file would say so, at night.
 * @throws PipelineError PGP_KEY
 */
export async function checkKeys(app: App): Promise<void> {
  for (const account of new Set(foldersHere(app.settings).map((folder) => folder.account)))
    await app.openPgpKeys(account);
}
