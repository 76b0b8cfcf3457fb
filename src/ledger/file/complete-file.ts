import { IS_OPEN } from '../batch/conditions.ts';
import { FILE_MOVES, type OutputKind } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { storableJson } from '../engine/storable-text.ts';
import { type AuditEntry, callFunction } from '../engine/transaction.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { OutputRow, ReadFileRow } from '../engine/records.ts';
import { READ_FROM } from './read-file.ts';

export type NewOutput = {
  kind: OutputKind;
  number?: number;
  name: string;
  sha256: string;
  bytes: number;
  rows: number;
};

/** Outputs of a payment file that were written and read back. */
export type MadeOutputs = {
  /** What they were made of; the batches only if the outputs tell of them, see `Delivery`. */
  source: { file: Pick<ReadFileRow, 'file_id' | 'read_from'>; batchMarks?: string | undefined };
  outputs: readonly NewOutput[];
  /** Set when every output is there: the file is completed, on this evidence, if no batch of it is open. */
  completes?: { evidence: Record<string, unknown> } | undefined;
};

/**
 * Records outputs of payment files, one or many, in one transaction, and makes the move `complete` of those of which
 * nothing more is to be written. Of a file without a row to send it makes `begin` first. Recording outputs again after a
 * crash changes nothing. Nothing is recorded of a file whose outputs were made of something else than this ledger has.
 * @returns what became of each, by the id of the file
 */
export async function commitOutputs(
  ledger: Ledger,
  files: readonly MadeOutputs[],
): Promise<ReadonlyMap<string, 'recorded' | 'completed' | 'another'>> {
  const at = ledger.clock.now();
  const listed = files.map(({ source, outputs, completes }) => ({
    fileId: source.file.file_id,
    readFrom: source.file.read_from,
    batchMarks: source.batchMarks,
    isLast: completes !== undefined,
    outputs,
  }));
  const links = files.flatMap(linksOf);
  const { rows } = await callFunction<Made>(
    ledger.pool,
    `SELECT * FROM commit_outputs($1, ${ledger.databaseNow()}, $2, $3)`,
    [at, storableJson(listed), storableJson(links)],
    links.map(({ link }) => link),
  );
  for (const { made, account } of rows) {
    if (made !== 'begin' && made !== 'complete') continue;
    const { to } = FILE_MOVES.find(({ name }) => name === made)!;
    ledger.tally.add('paydrop_file_moves_total', { account: account!, state: to });
  }
  const isMade = ({ source }: MadeOutputs, what: Made['made']) =>
    rows.some((row) => row.file_id === source.file.file_id && row.made === what);
  return new Map(
    files.map((file) => [
      file.source.file.file_id,
      isMade(file, 'another') ? 'another' : isMade(file, 'complete') ? 'completed' : 'recorded',
    ]),
  );
}

type Made = { file_id: string; made: 'another' | 'output' | 'begin' | 'complete'; account: string | null };

/** The links that the outputs of a file may make, each with the name by which `commit_outputs` knows what it is about. */
function linksOf({ source, outputs, completes }: MadeOutputs): { key: string; link: AuditEntry }[] {
  const { file_id: fileId } = source.file;
  const actor = 'worker:deliver';
  const moving = (name: 'begin' | 'complete', reason: string, evidence = {}) => {
    const { from, to } = FILE_MOVES.find((move) => move.name === name)!;
    return { key: `${fileId} ${name}`, link: { actor, fileId, move: name, from, to, reason, evidence } };
  };
  return [
    ...outputs.map(({ kind, number = 0, name, sha256, rows }) => ({
      key: `${fileId} output ${kind} ${number}`,
      link: {
        actor,
        fileId,
        move: 'output',
        reason: number === 0 ? `${kind} written` : `${kind} ${number} written`,
        evidence: { name, sha256, rows },
      },
    })),
    moving('begin', 'there was nothing to send'),
    moving('complete', 'every row is final and the outputs are read back', completes?.evidence),
  ];
}

/**
 * Does the same for the outputs of one file, which do not complete it.
 * @throws PipelineError OUTPUT_MISMATCH when they were made of something else; they are then made again
 */
export async function recordOutput(
  ledger: Ledger,
  source: MadeOutputs['source'],
  ...outputs: readonly NewOutput[]
): Promise<void> {
  const { file_id: fileId } = source.file;
  if ((await commitOutputs(ledger, [{ source, outputs }])).get(fileId) === 'another') throw madeOfAnother(fileId);
}

export function madeOfAnother(fileId: string): PipelineError {
  const reason = 'they were made of another ledger';
  return new PipelineError('OUTPUT_MISMATCH', `record outputs of file "${fileId}"`, reason, {
    next: 'They are made again.',
  });
}

/** A file, and what decides which of its outputs are due. */
export type Delivery = {
  file: ReadFileRow;
  /** Its outputs in the ledger. */
  outputs: readonly OutputRow[];
  /** What outputs say of its batches, as one text (batch_marks in schemas/ledger/deliver.sql). */
  batchMarks: string;
  batches: number;
  /** Rows of the largest batch; 0 without batches. */
  largestBatch: number;
  /** Batches that still wait for something. */
  openBatches: number;
};

/**
 * Reads files, one or many, by a single query, because it runs several times for each file, however small.
 * @returns those that are there, in the order in which they came
 */
export async function readDeliveries(ledger: Ledger, fileIds: readonly string[]): Promise<Delivery[]> {
  const { rows } = await ledger.pool.query<
    ReadFileRow & {
      outputs: OutputRow[];
      batch_marks: string;
      batches: number;
      largest_batch: number;
      open_batches: number;
    }
  >(
    `SELECT file.*, ${READ_FROM}, s.wrapped_key, s.content_key, s.row_set, batch_marks(file.file_id),
            ARRAY(SELECT to_jsonb(output) FROM output WHERE output.file_id = file.file_id
                  ORDER BY written_at, kind, number) AS outputs,
            b.batches, b.largest_batch, b.open_batches
     FROM file LEFT JOIN file_secret s USING (file_id) CROSS JOIN LATERAL (
       SELECT count(*) AS batches, coalesce(max(rows), 0) AS largest_batch,
              count(*) FILTER (WHERE ${IS_OPEN}) AS open_batches
       FROM batch WHERE batch.file_id = file.file_id
     ) b
     WHERE file.file_id = ANY ($1) ORDER BY file.file_no`,
    [fileIds],
  );
  return rows.map(({ outputs, batch_marks, batches, largest_batch, open_batches, ...file }) => ({
    file,
    outputs: outputs.map((output) => ({ ...output, written_at: new Date(output.written_at) })),
    batchMarks: batch_marks,
    batches,
    largestBatch: largest_batch,
    openBatches: open_batches,
  }));
}

/** @throws PipelineError NOT_FOUND */
export async function readDelivery(ledger: Ledger, fileId: string): Promise<Delivery> {
  const [found] = await readDeliveries(ledger, [fileId]);
  if (!found) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
  return found;
}

/** Returns the numbers of the corrections of these files that are due, the lowest of each file first. */
export async function readDueCorrections(
  ledger: Ledger,
  fileNos: readonly number[],
): Promise<{ fileNo: number; correctionNo: number }[]> {
  const { rows } = await ledger.pool.query<{ fileNo: number; correctionNo: number }>(
    'SELECT file_no AS "fileNo", correction_no AS "correctionNo" FROM unwritten_corrections($1)',
    [fileNos],
  );
  return rows;
}
