/**
 * Format of a backup file: a mark of 8 bytes, then frames. A frame is a letter (1 byte), a length (4 bytes, big-endian)
 * and that many bytes. All but the rows are JSON. Frames are small, so reading a file of any size takes little memory.
 *
 * `H` is the head, `T` starts a table, and `D` holds rows in the text format of COPY. `S` holds what the rows must add
 * up to, and `E` is the end. A file without its end was truncated.
 */
export const MARK = Buffer.from('PAYDROP1');
export const FRAME_HEAD_BYTES = 5;

/** Longest frame. A longer length is corrupt, and must not decide how much memory to allocate. */
export const LONGEST_FRAME_BYTES = 1_048_576;

export type FrameKind = 'H' | 'T' | 'D' | 'S' | 'E';

/** What the backup contains. `migrations` names the migrations of the ledger; the last is its version. */
export type BackupHead = { format: 1; madeAt: string; migrations: string[]; tables: string[] };

export type BackupTable = { table: string; columns: string[] };

export type TableSum = { rows: number; bytes: number; sha256: string };

/** `sha256` covers every byte of the file before this frame. */
export type BackupEnd = { tables: number; rows: number; sha256: string };

/** Summary of a complete backup. */
export type BackupSummary = {
  madeAt: string;
  migration: string;
  tables: (TableSum & { table: string })[];
  rows: number;
  bytes: number;
  sha256: string;
};

export function frameHead(kind: FrameKind, bytes: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(bytes, 1);
  return head;
}

/** Counts rows. In text format, every row ends with its only line feed. */
export function countRows(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  return rows;
}

export function summaryOf(
  head: BackupHead,
  tables: readonly (TableSum & { table: string })[],
  whole: { bytes: number; sha256: string },
): BackupSummary {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return { madeAt: head.madeAt, migration: head.migrations.at(-1) ?? '', tables: [...tables], rows, ...whole };
}
