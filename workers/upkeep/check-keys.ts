import type { App } from '../../src/app.ts';
import { foldersHere } from '../../src/config/config.ts';

/**
 * Checks at start that the OpenPGP keys for this site's folders open. Otherwise the first encrypted file would show it,
 * at night.
 * @throws PipelineError PGP_KEY
 */
export async function checkKeys(app: App): Promise<void> {
  for (const account of new Set(foldersHere(app.settings).map((folder) => folder.account)))
    await app.openPgpKeys(account);
}
