import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** What the ledger knows about a sealed original. One without a key was destroyed on purpose. */
export type OriginalRow = {
  file_no: number;
  file_id: string;
  state: FileState;
  archive: string;
  wrapped_key: Buffer | null;
};

const COLUMNS = 'file_no, file_id, state, archive, wrapped_key';

/** Returns those of these files that the ledger knows. */
export async function readOriginals(ledger: Ledger, fileIds: readonly string[]): Promise<OriginalRow[]> {
  const { rows } = await ledger.pool.query<OriginalRow>(
    `SELECT ${COLUMNS} FROM file LEFT JOIN file_secret USING (file_id) WHERE file_id = ANY ($1)`,
    [fileIds],
  );
  return rows;
}

/** Reads the files of a site whose original should exist, in slices, in the order of their claim. */
export async function* listOriginals(ledger: Ledger, site: string, sliceSize = 10_000): AsyncGenerator<OriginalRow[]> {
  for (let after = 0; ; ) {
    const { rows } = await ledger.pool.query<OriginalRow>(
      `SELECT ${COLUMNS} FROM file JOIN file_secret USING (file_id) WHERE file_no > $1 AND site = $3
       ORDER BY file_no LIMIT $2`,
      [after, sliceSize, site],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < sliceSize) return;
    after = rows.at(-1)!.file_no;
  }
}

type SealedBody = { fileId: string; batchNo: number; wrapped: Buffer; sealed: Buffer };

const BODY = 'f.file_id AS "fileId", p.batch_no AS "batchNo", f.wrapped_key AS wrapped, p.bytes AS sealed';

/** Returns the last sealed batch body of the newest file that has one, to try a key on. */
export async function readNewestBody(ledger: Ledger): Promise<SealedBody | undefined> {
  const { rows } = await ledger.pool.query<SealedBody>(
    `SELECT ${BODY} FROM (SELECT * FROM file JOIN file_secret USING (file_id) ORDER BY file_no DESC LIMIT 100) f
     JOIN sealed_part p USING (file_id) WHERE p.part = 'body' ORDER BY f.file_no DESC, p.batch_no DESC LIMIT 1`,
  );
  return rows[0];
}

/** Returns sealed batch bodies of different ages: ids of files are drawn by chance. */
export async function readSomeBodies(ledger: Ledger, most: number): Promise<SealedBody[]> {
  const { rows } = await ledger.pool.query<SealedBody>(
    `SELECT ${BODY} FROM (SELECT * FROM file_secret ORDER BY file_id LIMIT $1) f
     JOIN sealed_part p USING (file_id) WHERE p.part = 'body' ORDER BY f.file_id, p.batch_no LIMIT $1`,
    [most],
  );
  return rows;
}

/** Reads the wrapped keys of all files, of every site, in slices. */
export async function* listWrappedKeys(
  ledger: Ledger,
  sliceSize = 10_000,
): AsyncGenerator<{ fileId: string; wrapped: Buffer }[]> {
  for (let after = ''; ; ) {
    const { rows } = await ledger.pool.query<{ fileId: string; wrapped: Buffer }>(
      `SELECT file_id AS "fileId", wrapped_key AS wrapped FROM file_secret WHERE file_id > $1 ORDER BY file_id LIMIT $2`,
      [after, sliceSize],
    );
    yield rows;
    if (rows.length < sliceSize) return;
    after = rows.at(-1)!.fileId;
  }
}
