import { stepText } from '../../schemas/steps.ts';
import { PipelineError } from '../kernel/errors.ts';
import { maskText } from '../kernel/mask.ts';
import type { BatchKey } from '../ledger/engine/move.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { readBatches, readBatchNoOf, readBatchRow } from '../ledger/file/read-file.ts';
import { findFile } from '../ledger/file/search.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import type { InDoubt } from '../ledger/doubt/in-doubt.ts';

/** The batch argument in the commands' help tables. */
export const BATCH_ARGUMENT = ['<batch>', 'file and number of the batch, as in monday.csv/2 or g7fhpaqs/2'] as const;

/**
 * Finds the batch for `<file>/<number>`. The file is given by id, the first letters of the id, or name; `paydrop show`
 * lists the number.
 * @throws PipelineError USAGE when the words are no reference, NOT_FOUND when the ledger has no such file or batch
 */
export async function findBatch(ledger: Ledger, words: string): Promise<{ file: FileRow; batch: BatchRow }> {
  const { fileWords, batchNo } = splitReference(words);
  const file = await findFile(ledger, fileWords);
  const batches = await readBatches(ledger, file.file_id);
  const batch = batches.find((row) => row.batch_no === batchNo);
  if (batch) return { file, batch };
  throw new PipelineError(
    'NOT_FOUND',
    `find batch ${batchNo} of file "${file.name}"`,
    batches.length === 0 ? 'the file has no batches' : `it has ${countOf(batches.length)}`,
    { next: stepText(['See ', { see: 'show', fileId: file.file_id }, '.']) },
  );
}

/** The argument of a command that takes a batch, or a payment of it by its line. */
export const BATCH_OR_LINE_ARGUMENT = [
  '<batch|payment>',
  'file and number of the batch, as in monday.csv/2, or a payment of it by its line, as in monday.csv:12',
] as const;

/**
 * Finds a batch by its number, or by the line of one of its payments.
 * @throws PipelineError USAGE, NOT_FOUND
 */
export async function findBatchOrLine(ledger: Ledger, words: string): Promise<{ file: FileRow; batch: BatchRow }> {
  const place = splitLine(words);
  if (place === undefined) return findBatch(ledger, words);
  const file = await findFile(ledger, place.fileWords);
  const batchNo = await readBatchNoOf(ledger, file.file_no, place.line);
  if (batchNo !== null) return { file, batch: await readBatchRow(ledger, { fileId: file.file_id, batchNo }) };
  throw new PipelineError(
    'NOT_FOUND',
    `find the batch of line ${place.line} of file "${file.name}"`,
    'no batch holds this line',
    { next: stepText(['See ', { see: 'show', fileId: file.file_id }, '.']) },
  );
}

/** Splits a payment written as file and line, such as `monday.csv:12`; undefined for other words. */
export function splitLine(words: string): { fileWords: string; line: number } | undefined {
  const [, fileWords, line] = /^(.+):([1-9]\d{0,8})$/.exec(words.trim()) ?? [];
  return fileWords === undefined ? undefined : { fileWords, line: Number(line) };
}

/** Returns the reference that commands print for pasting: short, and unique to one batch. */
export function batchReference(key: BatchKey): string {
  return `${key.fileId}/${key.batchNo}`;
}

/** Splits at the last slash, because the file part may contain one. */
function splitReference(words: string): { fileWords: string; batchNo: number } {
  const [, fileWords, number] = /^(.+)\/([1-9]\d{0,5})$/.exec(words.trim()) ?? [];
  if (fileWords !== undefined) return { fileWords, batchNo: Number(number) };
  throw new PipelineError('USAGE', `find batch "${maskText(words)}"`, 'it is not written as file/number', {
    next: stepText([
      'Write the file and the number of its batch, as in monday.csv/2; ',
      { see: 'in-doubt' },
      ' and ',
      { see: 'show' },
      ' say them.',
    ]),
  });
}

function countOf(batches: number): string {
  return batches === 1 ? 'one batch, number 1' : `${batches} batches, numbers 1 to ${batches}`;
}

/** The file or batch argument in the commands' help tables. */
export const FILE_OR_BATCH_ARGUMENT = [
  '<file|batch>',
  'a file by its id, the first letters of it, or its name; or one batch of it, as in monday.csv/2',
] as const;

/**
 * Finds a file, or one batch of it when a slash and a number follow. Names of drops contain no slash.
 * @throws PipelineError NOT_FOUND
 */
export async function findFileOrBatch(ledger: Ledger, words: string): Promise<{ file: FileRow; batch?: BatchRow }> {
  if (isBatchReference(words)) return findBatch(ledger, words);
  return { file: await findFile(ledger, words) };
}

export function isBatchReference(words: string): boolean {
  return /^.+\/[1-9]\d{0,5}$/.test(words.trim());
}

/** Returns the service's batch ids seen after the verdict or in a broken answer. Detached ones are left out. */
export function seenBatchIds({ attempts, lateAnswers }: Pick<InDoubt, 'attempts' | 'lateAnswers'>): string[] {
  const disowned = new Set(lateAnswers.map(({ evidence }) => evidence['disownedBatchId']));
  const late = lateAnswers.map(({ evidence }) => evidence['batchId']);
  const broken = attempts.map(({ evidence }) => namedBatchId(evidence?.['answerText']));
  const seen = [...late, ...broken].filter((id): id is string => typeof id === 'string' && !disowned.has(id));
  return [...new Set(seen)];
}

/** Reads the id that the gateway puts in front of a broken answer. */
function namedBatchId(answerText: unknown): string | undefined {
  return typeof answerText === 'string' ? /^BATCHID (\S{1,40}): /.exec(answerText)?.[1] : undefined;
}
