import { linesOf, readStreamed } from '../../ledger/backup/read-backup.ts';
import { type CopiedTable, copyFrames, inSnapshot } from '../../ledger/backup/write-backup.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { ARCHIVE, type RowArchive } from '../../ledger/retention/archived-rows.ts';

/** The content of archives. */

export type ArchivableFile = { fileNo: number; fileId: string; rows: number };

/** What an archive holds. Of money the readable amounts, in integer cents. */
export type ArchiveSums = { rows: number; cents: number; outcomes: number; faults: number; parts: number };

const ROW_COLUMNS = ['file_no', 'line', 'batch_no', 'invoice', 'customer_code', 'amount_cents', 'last_four'];
const OUTCOME_COLUMNS = ['outcome', 'code', 'message', 'authorization'];
/** Columns of the rows in an archive: those of `payment_row`, and of its outcome. */
export const ARCHIVED_COLUMNS = [...ROW_COLUMNS, ...OUTCOME_COLUMNS];

/** Files in one COPY; the client waits no longer for it than for any other statement. */
const COPIED_FILES = 200;

function tablesOf(files: readonly ArchivableFile[]): CopiedTable[] {
  const groups = Array.from({ length: Math.ceil(files.length / COPIED_FILES) }, (_, n) =>
    files.slice(n * COPIED_FILES, (n + 1) * COPIED_FILES),
  );
  const copies = (query: (numbers: string, ids: string) => string) =>
    groups.map((group) => {
      const ids = group.map(({ fileId }) => `'${fileId}'`).join(', ');
      return `COPY (${query(group.map(({ fileNo }) => fileNo).join(', '), ids)}) TO STDOUT`;
    });
  const plain = (table: string, columns: readonly string[], key: 'file_no' | 'file_id', order: string) => ({
    table,
    columns: [...columns],
    copies: copies(
      (numbers, ids) =>
        `SELECT ${columns.join(', ')} FROM ${table} WHERE ${key} IN (${key === 'file_no' ? numbers : ids}) ORDER BY ${order}`,
    ),
  });
  const columns = ['file_no', 'seq', 'line', 'column_name', 'code', 'detail', 'value'];
  return [
    plain('file', ['file_no', 'file_id', 'account', 'name', 'state', 'claimed_at', 'sha256'], 'file_no', 'file_no'),
    {
      table: 'payment_row',
      columns: ARCHIVED_COLUMNS,
      // Both sides name the files, or all outcomes of the ledger would be read.
      copies: copies(
        (
          numbers,
        ) => `SELECT ${[...ROW_COLUMNS.map((name) => `r.${name}`), ...OUTCOME_COLUMNS.map((name) => `o."${name}"`)].join(', ')}
          FROM payment_row r LEFT JOIN row_outcome o ON o.file_no = r.file_no AND o.line = r.line AND o.file_no IN (${numbers})
          WHERE r.file_no IN (${numbers}) ORDER BY r.file_no, r.line`,
      ),
    },
    plain('row_fault', columns, 'file_no', 'file_no, seq'),
    plain('sealed_part', ['file_id', 'batch_no', 'part', 'bytes'], 'file_id', 'file_id, batch_no, part'),
  ];
}

/** Passes the bytes of an archive of these files to `write`, from one snapshot of the ledger. */
export async function writeArchive(
  ledger: Ledger,
  files: readonly ArchivableFile[],
  write: (frames: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  await inSnapshot(ledger, (client) => write(copyFrames(client, tablesOf(files), ledger.clock.now())));
}

/** Receives a row of an archive; its cells are text as COPY writes it, `\N` for null. */
export type TakeArchived = (table: string, cells: readonly string[]) => void;

/**
 * Reads a whole archive and verifies it.
 * @param take is only to be believed once this returns
 * @throws PipelineError BACKUP_BROKEN when it was changed or cut off
 */
export async function readArchive(
  plain: AsyncIterable<Uint8Array>,
  name: string,
  take: TakeArchived = () => {},
): Promise<ArchiveSums & { sha256: string }> {
  const sums: ArchiveSums = { rows: 0, cents: 0, outcomes: 0, faults: 0, parts: 0 };
  const [amountAt, outcomeAt] = [ARCHIVED_COLUMNS.indexOf('amount_cents'), ARCHIVED_COLUMNS.indexOf('outcome')];
  const summary = await readStreamed(plain, name, {
    table: async ({ table }, chunks) => {
      for await (const line of linesOf(chunks)) {
        const cells = line.split('\t');
        if (table === 'payment_row') {
          sums.rows += 1;
          if (cells[amountAt] !== NULL) sums.cents += Number(cells[amountAt]);
          if (cells[outcomeAt] !== NULL) sums.outcomes += 1;
        }
        if (table === 'row_fault') sums.faults += 1;
        if (table === 'sealed_part') sums.parts += 1;
        take(table, cells);
      }
    },
  });
  return { ...sums, sha256: summary.sha256 };
}

export const NULL = '\\N';

/** An archive and what it holds, by the files that name it. Integer cents. */
export type ListedArchive = RowArchive & { files: number; rows: number; cents: number; bytes: number };

/** Returns all archives, the newest first. */
export async function listArchives({ pool }: Ledger): Promise<ListedArchive[]> {
  const { rows } = await pool.query<ListedArchive>(
    `SELECT ${ARCHIVE}, a.bytes, f.files, f.rows, f.cents FROM row_archive a CROSS JOIN LATERAL (
       SELECT count(*) AS files, coalesce(sum(s.sent_rows + s.withheld_rows), 0)::bigint AS rows,
              coalesce(sum(s.sent_cents + s.withheld_cents), 0)::bigint AS cents
       FROM file JOIN archived_file s USING (file_no) WHERE file.archive_no = a.archive_no) f
     ORDER BY a.archive_no DESC`,
  );
  return rows;
}
