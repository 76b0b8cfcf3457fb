/**
 * The form of a backup file: a mark of 8 bytes, then frames of a letter (1 byte), a length (4 bytes, big-endian) and so
 * many bytes. All but the rows are JSON. Every frame is small, so that a file of any size is read in little memory.
 *
 * `H` head, `T` a table begins, `D` rows of it as COPY writes them in text form, `S` what the rows must add up to, `E` the
 * end. A file without its end was cut.
 */
export const MARK = Buffer.from('PAYDROP1');
export const FRAME_HEAD_BYTES = 5;

/** No frame is longer; one that says so is broken, and must not be believed about how much memory it wants. */
export const LONGEST_FRAME_BYTES = 1_048_576;

export type FrameKind = 'H' | 'T' | 'D' | 'S' | 'E';

/** What the backup is of. `migrations` are the names of those that the ledger had, the last of them its version. */
export type BackupHead = { format: 1; madeAt: string; migrations: string[]; tables: string[] };

export type BackupTable = { table: string; columns: string[] };

export type TableSum = { rows: number; bytes: number; sha256: string };

/** `sha256` is that of every byte of the file before this frame. */
export type BackupEnd = { tables: number; rows: number; sha256: string };

/** What a whole backup says of itself. */
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

/** In text form every row ends with the only line feed in it. */
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
