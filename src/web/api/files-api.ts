import type { FastifyInstance } from 'fastify';
import { FILE_STATES, type FileState, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { maskName } from '../../kernel/mask.ts';
import { listFiles } from '../../ledger/file/list-files.ts';
import { sortedBy } from '../lists/list.tsx';
import { FILE_ORDERS } from '../pages/files/list-files.tsx';
import { ROW_ORDERS } from '../pages/files/file-lists.tsx';
import { listRows, type RowFilter } from '../../ledger/row/list-rows.ts';
import { findFile } from '../../ledger/file/search.ts';
import { nextSendOf } from '../../explain/describe-holds.ts';
import { readBlocks, readShown, readShownFile, showBatch } from '../../explain/read-blocks.ts';
import { readStory } from '../../explain/read-story.ts';
import { whyFile } from '../../explain/why/tell-why.ts';
import { viewerOf, type WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import {
  CENTS,
  listOf,
  mapOf,
  maybe,
  MOMENT,
  NEXT,
  objectOf,
  PAGING,
  type Paging,
  shapeNamed,
  TEXT,
  WHOLE,
  each,
} from './shapes.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { findFileOrBatch } from '../../explain/batch-reference.ts';
import { searchLedger } from '../../explain/search.ts';
import { zoneOfViewer } from '../zone-of.ts';

type Filter = Paging & {
  account?: string;
  state?: FileState;
  folder?: string;
  name?: string;
  since?: string;
  until?: string;
};

/** Serves payment files: the list, and everything about each. */
export function filesApi(server: FastifyInstance, { app }: WebContext): void {
  const { ledger, settings } = app;

  server.get<{ Querystring: Filter }>('/files', { schema: LIST }, async ({ query }) => {
    const { account, state, folder, name, since, until, limit, after } = query;
    const filter = {
      account,
      states: state && [state],
      folder,
      name: name && maskName(name),
      from: since === undefined ? undefined : new Date(since),
      to: until === undefined ? undefined : new Date(until),
    };
    const page = { ...sortedBy(FILE_ORDERS, query), after: after === undefined ? undefined : Number(after) };
    // One file more than requested shows whether there is another page.
    const found = await listFiles(ledger, filter, { ...page, limit: limit + 1 });
    const files = found.slice(0, limit);
    return {
      files: await readShown(ledger, settings, files),
      next: found.length > limit ? String(files.at(-1)!.file_no) : null,
    };
  });

  server.get<{ Params: Named }>('/files/:fileId', { schema: STORY }, async ({ params }) => {
    const story = await readStory(ledger, params.fileId, settings);
    return { ...story, nextSendAt: nextSendOf(story, settings, app.clock.now()) ?? null };
  });

  server.get<{ Params: Named; Querystring: RowQuery }>(
    '/files/:fileId/rows',
    { schema: ROWS },
    async ({ params, query }) => {
      const { limit, after, outcome, invoice, batch } = query;
      const file = await findFile(ledger, params.fileId);
      const page = { ...sortedBy(ROW_ORDERS, query), after: after === undefined ? undefined : Number(after) };
      // One row more than requested shows whether there is another page.
      const found = await listRows(ledger, file, { outcome, invoice, batch }, { ...page, limit: limit + 1 });
      const rows = found.slice(0, limit);
      return { rows, next: found.length > limit ? String(rows.at(-1)!.line) : null };
    },
  );

  server.get<{ Params: Named }>('/files/:fileId/why', { schema: WHY }, async ({ params }) =>
    whyFile(ledger, settings, await findFile(ledger, params.fileId)),
  );
}

type Named = { fileId: string };

type RowQuery = Paging & RowFilter;

const tag = 'Files';
const FILE_PARAM = {
  fileId: { ...TEXT, maxLength: 255, description: 'Its id, the first characters of the id, or its name.' },
};

/** Query parameters that sort a list by one of its orders. */
function sortedLike(orders: object) {
  return { sort: { type: 'string', enum: Object.keys(orders) }, dir: { type: 'string', enum: ['asc', 'desc'] } };
}

const LIST = apiSchema({
  tag,
  summary: 'Payment files, unless sorted otherwise the newest first',
  query: {
    account: TEXT,
    state: { type: 'string', enum: Object.keys(FILE_STATES) },
    folder: TEXT,
    name: { ...TEXT, description: 'As the sender named it.' },
    since: { ...MOMENT, description: 'Taken at this moment or later.' },
    until: { ...MOMENT, description: 'Taken before this moment.' },
    ...sortedLike(FILE_ORDERS),
    ...PAGING,
  },
  answer: objectOf({ files: listOf(shapeNamed('File')), next: NEXT }),
});

const STORY = apiSchema({
  tag,
  summary: 'One file: batches, outcomes, outputs and every change of state with its reason',
  description: 'The same as "paydrop show --json" prints.',
  params: FILE_PARAM,
  answer: objectOf({
    file: shapeNamed('File'),
    batches: listOf(shapeNamed('Batch')),
    outcomes: { ...mapOf(shapeNamed('Totals')), description: 'Rows and money by outcome.' },
    open: shapeNamed('Totals'),
    outputs: listOf(
      objectOf({ kind: TEXT, number: WHOLE, name: TEXT, sha256: TEXT, bytes: WHOLE, rows: WHOLE, written_at: MOMENT }),
    ),
    audit: listOf(shapeNamed('AuditLink')),
    held: listOf(objectOf({ code: TEXT, count: WHOLE, line: WHOLE, detail: maybe(TEXT) })),
    nextSendAt: maybe(MOMENT),
  }),
});

const ROWS = apiSchema({
  tag,
  summary: 'The rows of a file, unless sorted otherwise in file order, with their outcomes',
  description:
    'Only the last digits of card and account numbers are kept. A file of more than 50,000 rows keeps its order.',
  params: FILE_PARAM,
  query: {
    outcome: { type: 'string', enum: [...Object.keys(OUTCOMES), 'open'], description: 'open: none yet.' },
    invoice: { ...TEXT, maxLength: 255, description: 'Exactly as written.' },
    batch: { ...WHOLE, minimum: 1, maximum: 999_999 },
    ...sortedLike(ROW_ORDERS),
    ...PAGING,
  },
  answer: objectOf({
    rows: listOf(
      objectOf({
        line: WHOLE,
        batch_no: maybe(WHOLE),
        invoice: TEXT,
        customer_code: TEXT,
        amount_cents: maybe(CENTS),
        last_four: TEXT,
        outcome: maybe(TEXT),
        code: maybe(WHOLE),
        message: maybe(TEXT),
        authorization: maybe(TEXT),
      }),
    ),
    next: NEXT,
  }),
});

const WHY = apiSchema({
  tag,
  summary: 'The history of a file in sentences: what happened, its current state, what to do next',
  params: FILE_PARAM,
  answer: shapeNamed('Why'),
});

/** Finds what the words mean, as the search page does, and the one file or batch that they name. */
export function searchApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  server.get<{ Querystring: { q: string } }>('/search', { schema: SEARCH }, async ({ query, viewer }) => {
    const words = query.q.trim();
    const [found, meant] = await Promise.all([
      searchLedger(ledger, settings, words, zoneOfViewer(viewerOf({ viewer }), settings)),
      findFileOrBatch(ledger, words).catch(noneFound),
    ]);
    return {
      file: meant ? await readShownFile(ledger, settings, meant.file) : null,
      batch: meant?.batch
        ? { ...meant.batch, ...showBatch(meant.batch, meant.file, await readBlocks(ledger, settings)) }
        : null,
      rows: found.payments,
      files: await readShown(ledger, settings, found.files),
      batchIds: found.batches,
      more: found.more,
      notes: found.notes,
    };
  });
}

function noneFound(error: unknown): undefined {
  if (!(error instanceof PipelineError) || error.code !== 'NOT_FOUND') throw error;
}

const SEARCH = apiSchema({
  tag: 'Search',
  summary: 'Finds payments by facts or the beginning of their invoice, files by name or id, and batches by id',
  description:
    'The words are those of the search page: inv-47, 87.50, "4242 87.50", today, declined, code:15, cust:C-19, monday.csv/2. At most 50 of each kind, the newest. Card and account numbers are refused.',
  query: { q: { ...TEXT, minLength: 1, maxLength: 255 } },
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
        ...each(TEXT, 'fileId', 'name', 'account', 'operation', 'fileState'),
        claimedAt: MOMENT,
        batchNo: maybe(WHOLE),
        ...each(maybe(TEXT), 'batchState', 'batchId', 'outcome'),
        code: maybe(WHOLE),
        message: maybe(TEXT),
        faults: listOf(TEXT),
        path: { ...TEXT, description: 'Of its page on the dashboard.' },
        ...each(TEXT, 'word', 'tone', 'means'),
        advice: { ...maybe(TEXT), description: 'What to do about it.' },
      }),
    ),
    files: listOf(
      objectOf({ file_no: WHOLE, ...each(TEXT, 'file_id', 'name', 'account', 'state', 'shown'), claimed_at: MOMENT }),
    ),
    batchIds: listOf(objectOf({ fileId: TEXT, batchNo: WHOLE, name: TEXT })),
    more: { ...listOf(TEXT), description: 'The kinds of which there are more: payments, files.' },
    notes: { ...listOf(TEXT), description: 'How it was searched, and what would find more.' },
  }),
});
