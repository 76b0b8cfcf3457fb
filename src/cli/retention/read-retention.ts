import type { Settings } from '../../config/config.ts';
import { retentionDays } from '../../config/retention-days.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { type DatabaseState, readDatabaseState } from '../../ledger/retention/cleanings.ts';
import {
  type DueFile,
  findDueShreds,
  readShredded,
  readShredStates,
  type ShreddedFile,
} from '../../ledger/retention/retention.ts';
import { listSealedInSlices } from '../../crypto/list-sealed.ts';

/** What was destroyed in a period, what is due, and what should be gone but is not. */
export type RetentionReport = {
  from: Date;
  to: Date;
  /** The ledger's own part of `leftOver`, and `original in the archive` of this host. */
  shredded: ShreddedFile[];
  due: DueFile[];
  database: DatabaseState;
  archive: {
    kept: number;
    /** Originals of files whose keys are destroyed, at any time. They cannot be opened, and must be gone. */
    left: string[];
    /** Originals unknown to the ledger: of a claim in progress, or from before an older ledger was restored. */
    unknown: string[];
  };
};

/** Limit of the listing; the next report has the rest. */
const MOST_DUE = 10_000;

/** Reads the ledger and the archive folder of this host. */
export async function readRetention(
  ledger: Ledger,
  settings: Pick<Settings, 'accounts' | 'paths'>,
  { from, to }: { from: Date; to: Date },
): Promise<RetentionReport> {
  const archive = await readArchive(ledger, settings.paths.archive);
  const left = new Set(archive.left);
  const shredded = (await readShredded(ledger, from, to)).map((file) =>
    left.has(file.file_id) ? { ...file, leftOver: [...file.leftOver, 'original in the archive'] } : file,
  );
  const due = await findDueShreds(ledger, retentionDays(settings), { limit: MOST_DUE });
  return { from, to, shredded, due, database: await readDatabaseState(ledger), archive };
}

async function readArchive(ledger: Ledger, folder: string): Promise<RetentionReport['archive']> {
  const found: RetentionReport['archive'] = { kept: 0, left: [], unknown: [] };
  for await (const files of listSealedInSlices(folder)) {
    const ids = files.map((file) => file.fileId);
    const states = await readShredStates(ledger, ids);
    found.left.push(...ids.filter((id) => states.get(id) === true));
    found.unknown.push(...ids.filter((id) => !states.has(id)));
    found.kept += ids.filter((id) => states.get(id) === false).length;
  }
  return found;
}

/**
 * Returns whether the ledger's rows and the archive hold nothing that should be gone. Due items are no fault: a running
 * paydrop removes them within the hour. What the database's files still hold is reported separately.
 */
export function isClean({ shredded, archive }: RetentionReport): boolean {
  return archive.left.length === 0 && shredded.every((file) => file.leftOver.length === 0);
}
