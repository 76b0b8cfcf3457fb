import type { FastifyInstance } from 'fastify';
import { readBatchRow, readFileRow } from '../../ledger/file/read-file.ts';
import { whyBatch } from '../../explain/why/tell-why.ts';
import type { Desk } from '../desk.ts';
import { apiSchema } from './api-schema.ts';
import { objectOf, shapeNamed, TEXT } from './shapes.ts';

type Key = { fileId: string; batchNo: string };

/** Serves one batch of a file: how it stands and why. */
export function batchesApi(server: FastifyInstance, { app: { ledger, settings } }: Desk): void {
  const read = async ({ fileId, batchNo }: Key) => ({
    file: await readFileRow(ledger, fileId),
    batch: await readBatchRow(ledger, { fileId, batchNo: Number(batchNo) }),
  });

  server.get<{ Params: Key }>('/files/:fileId/batches/:batchNo', { schema: BATCH }, ({ params }) => read(params));

  server.get<{ Params: Key }>('/files/:fileId/batches/:batchNo/why', { schema: WHY }, async ({ params }) => {
    const { file, batch } = await read(params);
    return whyBatch(ledger, settings, file, batch);
  });
}

const BATCH_PARAMS = {
  fileId: { ...TEXT, maxLength: 64 },
  batchNo: { ...TEXT, pattern: '^[1-9]\\d{0,8}$' },
};

const tag = 'Batches';

const BATCH = apiSchema({
  tag,
  summary: 'One batch of a file',
  params: BATCH_PARAMS,
  answer: objectOf({ file: shapeNamed('File'), batch: shapeNamed('Batch') }),
});

const WHY = apiSchema({
  tag,
  summary: 'The story of a batch in sentences',
  params: BATCH_PARAMS,
  answer: shapeNamed('Why'),
});
