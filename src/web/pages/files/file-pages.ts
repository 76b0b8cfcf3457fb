import type { FastifyInstance } from 'fastify';
import type { WebContext } from '../../web-context.ts';
import { outputDownload } from './file-outputs.tsx';
import { listBatchesPage } from './list-batches.tsx';
import { listFaultsPage } from './list-faults.tsx';
import { listFilesPage } from './list-files.tsx';
import { listRowsPage } from './list-rows.tsx';
import { showBatchPage } from './show-batch.tsx';
import { showFilePage } from './show-file.tsx';

/** Serves the read-only pages below `/files`: files, batches, rows, faults and downloads. */
export function filePages(server: FastifyInstance, context: WebContext): void {
  listFilesPage(server, context);
  showFilePage(server, context);
  listRowsPage(server, context);
  listFaultsPage(server, context);
  listBatchesPage(server, context);
  showBatchPage(server, context);
  outputDownload(server, context);
}
