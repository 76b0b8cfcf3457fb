import type { FastifyRequest } from 'fastify';
import type { App } from '../../../app.ts';
import { PipelineError } from '../../../kernel/errors.ts';
import { FILE_ID } from '../../../kernel/ids.ts';
import { readBatchRow, readFileRow } from '../../../ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../../../ledger/engine/records.ts';
import { fieldOf } from '../../access/read-form.ts';
import { Refusal } from '../../access/refusal.ts';

/**
 * The file that the address names.
 * @throws Refusal NOT_FOUND; what the address says is not repeated, for a card number looks like an id
 */
export async function fileOf({ ledger }: App, request: FastifyRequest): Promise<FileRow> {
  const fileId = fieldOf(request.params, 'fileId');
  if (!FILE_ID.test(fileId)) throw new Refusal('NOT_FOUND');
  try {
    return await readFileRow(ledger, fileId);
  } catch (error) {
    throw error instanceof PipelineError && error.code === 'NOT_FOUND' ? new Refusal('NOT_FOUND') : error;
  }
}

/** The batch that the address names, and its file. */
export async function batchOf(app: App, request: FastifyRequest): Promise<{ file: FileRow; batch: BatchRow }> {
  const batchNo = fieldOf(request.params, 'batchNo');
  if (!/^[1-9]\d{0,5}$/.test(batchNo)) throw new Refusal('NOT_FOUND');
  const file = await fileOf(app, request);
  return { file, batch: await readBatchRow(app.ledger, { fileId: file.file_id, batchNo: Number(batchNo) }) };
}

/** Where a list begins: a number of the address, or 0 when there is none that makes sense. */
export function startOf(request: FastifyRequest, name: string): number {
  const text = fieldOf(request.query, name);
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** How moments and money of an account are shown. An account may have left the configuration; its files have not. */
export type Customs = { readonly timeZone: string; readonly currency: string | undefined };

export function customsOf({ settings }: Pick<App, 'settings'>, account: string): Customs {
  const found = settings.accounts.get(account);
  return { timeZone: found?.timeZone ?? 'UTC', currency: found?.currency };
}
