import { FILE_ID } from '../../kernel/ids.ts';
import { listFolder } from '../list-folder.ts';
import { type ClaimNotes, readNotes } from './finish-claim.ts';

/** A claim as its notes describe it. */
export type ListedClaim = { readonly workDir: string; readonly notes: ClaimNotes };

/** Lists the claims in a work folder, and changes nothing. Empty when the folder is missing or may not be read. */
export async function listClaims(workRoot: string): Promise<ListedClaim[]> {
  const entries = await listFolder(workRoot, (key) => FILE_ID.test(key)).catch(() => []);
  const claims = await Promise.all(
    entries
      .filter(({ stats }) => stats.isDirectory())
      .map(async ({ path }) => {
        const workDir = path.toString();
        const notes = await readNotes(workDir).catch(() => undefined);
        return notes && { workDir, notes };
      }),
  );
  return claims.filter((claim) => claim !== undefined);
}
