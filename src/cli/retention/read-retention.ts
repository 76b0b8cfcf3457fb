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

/** What was destroyed in a time, what is due, and what should be gone and is not. */
export type RetentionReport = {
  from: Date;
  to: Date;
  /** The ledger's own part of `leftOver`, and `original in the archive` of this host. */
  shredded: ShreddedFile[];
  due: DueFile[];
  database: DatabaseState;
  archive: {
    kept: number;
    /** Originals of files whose keys are destroyed, of whatever time. They cannot be opened, and must be gone. */
    left: string[];
    /** Originals that the ledger does not know: of a claim on its way, or of before an older ledger was restored. */
    unknown: string[];
  };
};

/** More are not listed by name; the next report has them. */
const MOST_DUE = 10_000;

/** Looks at the ledger and at the archive folder of this host. */
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
 * Whether everything is gone from the rows of the ledger and from the archive that should be. What is due is no fault: it goes
 * within the hour of a paydrop that runs. What the files of the database still hold is told apart.
 */
export function isClean({ shredded, archive }: RetentionReport): boolean {
  return archive.left.length === 0 && shredded.every((file) => file.leftOver.length === 0);
}
