import type { FastifyRequest } from 'fastify';
import type { App } from '../../../app.ts';
import { PipelineError } from '../../../kernel/errors.ts';
import { FILE_ID } from '../../../kernel/ids.ts';
import { readBatchRow, readFileRow } from '../../../ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../../../ledger/engine/records.ts';
import { fieldOf } from '../../access/read-form.ts';
import type { Viewer } from '../../access/viewer.ts';
import { Refusal } from '../../access/refusal.ts';
import { addressOf } from '../../parts/address.ts';

/**
 * Returns the file that the address names.
 * @throws Refusal NOT_FOUND, without the id, because a card number can look like one
 */
export async function fileOf(app: App, request: FastifyRequest): Promise<FileRow> {
  return fileWith(app, fieldOf(request.params, 'fileId'));
}

/** Returns the file with this id, under the same condition. */
export async function fileWith({ ledger }: App, fileId: string): Promise<FileRow> {
  if (!FILE_ID.test(fileId)) throw new Refusal('NOT_FOUND');
  try {
    return await readFileRow(ledger, fileId);
  } catch (error) {
    throw error instanceof PipelineError && error.code === 'NOT_FOUND' ? new Refusal('NOT_FOUND') : error;
  }
}

/** Returns the batch that the address names, and its file. */
export async function batchOf(app: App, request: FastifyRequest): Promise<{ file: FileRow; batch: BatchRow }> {
  const batchNo = fieldOf(request.params, 'batchNo');
  if (!/^[1-9]\d{0,5}$/.test(batchNo)) throw new Refusal('NOT_FOUND');
  const file = await fileOf(app, request);
  return { file, batch: await readBatchRow(app.ledger, { fileId: file.file_id, batchNo: Number(batchNo) }) };
}

/** Returns the pages above a page of this file. */
export function crumbsOf({ file_id: fileId, name }: FileRow) {
  return [
    { path: '/files', label: 'Files' },
    { path: `/files/${fileId}`, label: name },
  ];
}

export type TabName = 'overview' | 'payments' | 'batches' | 'problems' | 'outputs' | 'history';

/** Who asks for a tab, and with which filter. */
export type TabVisit = { readonly app: App; readonly request: FastifyRequest; readonly viewer: Viewer };

/** Returns the address of a tab of a file. */
export function tabPath(
  { file_id: fileId }: Pick<FileRow, 'file_id'>,
  tab: TabName,
  query: Parameters<typeof addressOf>[1] = {},
): string {
  return addressOf(`/files/${fileId}`, { tab: tab === 'overview' ? undefined : tab, ...query });
}

/** Returns the number where a list begins; 0 when the address has no valid one. */
export function startOf(request: FastifyRequest, name: string): number {
  const text = fieldOf(request.query, name);
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** How an account's moments and money are shown. An account may leave the configuration while its files stay. */
export type Customs = { readonly timeZone: string; readonly currency: string | undefined };

export function customsOf({ settings }: Pick<App, 'settings'>, account: string): Customs {
  const found = settings.accounts.get(account);
  return { timeZone: found?.timeZone ?? 'UTC', currency: found?.currency };
}
