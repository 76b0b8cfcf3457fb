import type { FastifyInstance } from 'fastify';
import { PipelineError } from '../../kernel/errors.ts';
import { findBatchById } from '../../ledger/doubt/in-doubt.ts';
import { findInvoice } from '../../ledger/file/search.ts';
import { findFileOrBatch } from '../../explain/find-file-or-batch.ts';
import type { WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import { CENTS, listOf, maybe, MOMENT, objectOf, shapeNamed, TEXT, WHOLE } from './shapes.ts';

/** Most rows of an invoice that are returned. */
const MOST_ROWS = 100;

/** Finds whatever the words match: a file, a batch, an invoice, or a batch id of the service. */
export function searchApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  server.get<{ Querystring: { q: string } }>('/search', { schema: SEARCH }, async ({ query }) => {
    const words = query.q.trim();
    const [meant, rows, batches] = await Promise.all([
      findFileOrBatch(ledger, words).catch(noneFound),
      findInvoice(ledger, words, MOST_ROWS),
      Promise.all([...settings.accounts.keys()].map((account) => findBatchById(ledger, account, words))),
    ]);
    return {
      file: meant?.file ?? null,
      batch: meant?.batch ?? null,
      rows,
      batchIds: batches.filter((batch) => batch !== undefined),
    };
  });
}

function noneFound(error: unknown): undefined {
  if (!(error instanceof PipelineError) || error.code !== 'NOT_FOUND') throw error;
}

const SEARCH = apiSchema({
  tag: 'Search',
  summary: 'What a word means: a file, a batch such as monday.csv/2, an invoice, or a batch id of the service',
  query: {
    q: { ...TEXT, minLength: 1, maxLength: 255, description: 'An invoice or batch id exactly as it is written.' },
  },
  mustQuery: ['q'],
  answer: objectOf({
    file: { anyOf: [shapeNamed('File'), { type: 'null' }] },
    batch: { anyOf: [shapeNamed('Batch'), { type: 'null' }] },
    rows: listOf(
      objectOf({
        invoice: TEXT,
        customerCode: TEXT,
        amountCents: maybe(CENTS),
        lastFour: TEXT,
        line: WHOLE,
        fileId: TEXT,
        name: TEXT,
        account: TEXT,
        operation: TEXT,
        fileState: TEXT,
        claimedAt: MOMENT,
        batchNo: maybe(WHOLE),
        batchState: maybe(TEXT),
        batchId: maybe(TEXT),
        outcome: maybe(TEXT),
        code: maybe(WHOLE),
        message: maybe(TEXT),
        faults: listOf(TEXT),
      }),
    ),
    batchIds: listOf(objectOf({ fileId: TEXT, batchNo: WHOLE, name: TEXT })),
  }),
});
