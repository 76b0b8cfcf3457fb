import type { FastifyInstance } from 'fastify';
import type { Desk } from '../../desk.ts';
import { outputDownload } from './file-outputs.tsx';
import { listBatchesPage } from './list-batches.tsx';
import { listFaultsPage } from './list-faults.tsx';
import { listFilesPage } from './list-files.tsx';
import { listRowsPage } from './list-rows.tsx';
import { showBatchPage } from './show-batch.tsx';
import { showFilePage } from './show-file.tsx';

/** Serves the read-only pages below `/files`: files, batches, rows, faults and downloads. */
export function filePages(server: FastifyInstance, desk: Desk): void {
  listFilesPage(server, desk);
  showFilePage(server, desk);
  listRowsPage(server, desk);
  listFaultsPage(server, desk);
  listBatchesPage(server, desk);
  showBatchPage(server, desk);
  outputDownload(server, desk);
}
