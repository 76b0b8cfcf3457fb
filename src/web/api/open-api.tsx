import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { type WebContext, type Routes, viewerOf } from '../web-context.ts';
import { overviewApi } from './overview-api.ts';
import { ADVICE } from '../../../schemas/rejections.ts';
import { tellPayment } from '../../explain/why/tell-payment.ts';
import { type IssueFilter, issueNumber, ISSUES, listIssues } from '../../ledger/row/list-issues.ts';
import { findFile } from '../../ledger/file/search.ts';
import { listSameInvoice } from '../../ledger/row/read-payment.ts';
import {
  CENTS,
  COMMON_SHAPES,
  each,
  listOf,
  maybe,
  MOMENT,
  NEXT,
  objectOf,
  PAGING,
  type Paging,
  shapeNamed,
  TEXT,
  WHOLE,
  YES_OR_NO,
} from './shapes.ts';
import { type ApiActions, actionsApi } from './actions-api.ts';
import { filesApi, searchApi } from './files-api.ts';
import { profilesApi } from './profiles-api.ts';
import { accountsApi, recordsApi } from './records-api.ts';
import { reprocessApi } from './reprocess-api.ts';
import { readBatchRow, readFileRow } from '../../ledger/file/read-file.ts';
import { readBlocks, readShownFile, showBatch } from '../../explain/read-blocks.ts';
import { whyBatch } from '../../explain/why/tell-why.ts';
import { apiSchema } from './api-schema.ts';
import { Section, Table } from '../parts/blocks.tsx';
import { said } from '../parts/words.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';

const SUBJECTS = [
  overviewApi,
  filesApi,
  batchesApi,
  paymentsApi,
  accountsApi,
  profilesApi,
  searchApi,
  recordsApi,
  reprocessApi,
] as const;

/**
 * Opens `/api/v1`, the dashboard for programs under the same rules as its pages, and `/api`, which documents it.
 * @param actions how actions are planned and done; without it the API is read-only
 */
export function openApi(actions?: ApiActions): Routes {
  return async (server, context) => {
    await server.register(swagger, { openapi: ABOUT, refResolver: { buildLocalReference: nameOf } });
    for (const [name, shape] of Object.entries(COMMON_SHAPES)) server.addSchema({ $id: name, ...shape });
    await server.register(async (scope) => hangAll(scope, context, actions), { prefix: '/api/v1' });
    apiPage(server);
  };
}

function hangAll(scope: FastifyInstance, context: WebContext, actions: ApiActions | undefined): void {
  // An old answer must not pass for the current state.
  scope.addHook('onSend', async (_, reply) => void reply.header('cache-control', 'no-store'));
  for (const hang of SUBJECTS) hang(scope, context);
  if (actions) actionsApi(scope, context, actions);
  scope.get('/openapi.json', { schema: { hide: true } }, async () => scope.swagger());
}

const ABOUT = {
  openapi: '3.1.0',
  info: {
    title: 'paydrop',
    version: '1',
    description:
      'Everything that the dashboard shows and does, for programs. Money is integer cents where a name ends in cents, and decimal text elsewhere; times are UTC.',
  },
  components: {
    securitySchemes: {
      token: { type: 'http' as const, scheme: 'bearer', description: 'A user makes it on the page /me.' },
    },
  },
  security: [{ token: [] }],
};

function nameOf(schema: { $id?: unknown }, _: unknown, __: unknown, index: number): string {
  return typeof schema.$id === 'string' ? schema.$id : `shape-${index}`;
}

type Key = { fileId: string; batchNo: string };

function batchesApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  const read = async ({ fileId, batchNo }: Key) => ({
    file: await readFileRow(ledger, fileId),
    batch: await readBatchRow(ledger, { fileId, batchNo: Number(batchNo) }),
  });

  server.get<{ Params: Key }>('/files/:fileId/batches/:batchNo', { schema: BATCH }, async ({ params }) => {
    const { file, batch } = await read(params);
    const shown = showBatch(batch, file, await readBlocks(ledger, settings));
    return { file: await readShownFile(ledger, settings, file), batch: { ...batch, ...shown } };
  });

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
  summary: 'The history of a batch in sentences',
  params: BATCH_PARAMS,
  answer: shapeNamed('Why'),
});

type IssueQuery = Paging & IssueFilter;

function paymentsApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  server.get<{ Querystring: IssueQuery }>('/payments', { schema: ISSUE_LIST }, async ({ query }) => {
    const { limit, after, ...filter } = query;
    // One payment more than requested shows whether there is another page.
    const page = { limit: limit + 1, after: after === undefined ? undefined : Number(after) };
    const found = await listIssues(ledger, filter, page);
    const payments = found.slice(0, limit);
    return { payments, next: found.length > limit ? String(issueNumber(payments.at(-1)!)) : null };
  });

  server.get<{ Params: { fileId: string; line: string } }>(
    '/payments/:fileId/:line',
    { schema: PAYMENT },
    async ({ params: { fileId: words, line } }) => {
      const { file_id: fileId } = await findFile(ledger, words);
      const payment = await tellPayment(ledger, settings, { fileId, line: Number(line) });
      return { ...payment, others: await listSameInvoice(ledger, payment) };
    },
  );
}

const TEXTS_OF_ROW = each(TEXT, 'fileId', 'name', 'account', 'invoice', 'customerCode', 'lastFour', 'fileState');
const OF_ROW = { ...TEXTS_OF_ROW, line: WHOLE, cents: maybe(CENTS), batchNo: maybe(WHOLE), batchState: maybe(TEXT) };

const ISSUE_LIST = apiSchema({
  tag: 'Payments',
  summary: 'Payments that were not made, or may not have been, and were not sent again, the newest file first',
  query: {
    account: { ...TEXT, maxLength: 255, default: '', description: 'Only of this account; all if omitted.' },
    issue: { ...TEXT, enum: ['', ...Object.keys(ISSUES)], default: '', description: 'All if omitted.' },
    ...PAGING,
  },
  answer: objectOf({
    payments: listOf(
      objectOf({ ...OF_ROW, ...each(maybe(TEXT), 'outcome', 'fault'), code: maybe(WHOLE), since: MOMENT }),
    ),
    next: NEXT,
  }),
});

const OUTCOME = { outcome: TEXT, code: maybe(WHOLE), message: TEXT, authorization: TEXT };

const PAYMENT = apiSchema({
  tag: 'Payments',
  summary: 'One payment over all its tries: how it stands, what happened, and what to tell its customer',
  description: 'The same as its page shows. Sending a payment again makes a new try in a new file.',
  params: {
    fileId: { ...TEXT, maxLength: 255, description: 'Its id, the first characters of the id, or its name.' },
    line: { ...TEXT, pattern: '^[1-9]\\d{0,8}$', description: 'Of the file.' },
  },
  answer: objectOf({
    tries: {
      ...listOf(
        objectOf({
          ...OF_ROW,
          operation: TEXT,
          claimedAt: MOMENT,
          batchId: maybe(TEXT),
          first: { ...objectOf(OUTCOME), type: ['object', 'null'], description: 'Null while there is none.' },
          changes: listOf(objectOf({ ...OUTCOME, at: MOMENT, source: TEXT })),
          standing: objectOf(
            {
              ...each(TEXT, 'word', 'tone', 'means'),
              advice: { ...TEXT, enum: ADVICE, description: 'What to do; left out where nothing is.' },
              since: MOMENT,
            },
            ['advice'],
          ),
        }),
      ),
      description: 'From the first to the last. The last one tells how the payment stands.',
    },
    at: { ...WHOLE, description: 'Place of the try that was asked for, counted from 0.' },
    hasEarlier: { ...YES_OR_NO, description: 'Whether there are tries before these; the first one leads to them.' },
    hasLater: YES_OR_NO,
    events: listOf(
      objectOf({
        at: MOMENT,
        ...each(TEXT, 'word', 'tone', 'says', 'by'),
        see: objectOf({ fileId: TEXT, ...each(WHOLE, 'batchNo', 'line', 'runNo') }, ['batchNo', 'line', 'runNo']),
      }),
    ),
    answer: { ...TEXT, description: 'What may be written to the customer.' },
    others: {
      ...listOf(
        objectOf({
          ...each(TEXT, 'fileId', 'name'),
          line: WHOLE,
          cents: maybe(CENTS),
          ...each(maybe(TEXT), 'outcome', 'batchState'),
          claimedAt: MOMENT,
        }),
      ),
      description: 'The newest other rows of its account with the same invoice, at most 10.',
    },
  }),
});

type Operation = { readonly tags?: readonly string[]; readonly summary?: string; readonly description?: string };
type Listed = { readonly method: string; readonly path: string; readonly operation: Operation };

/** Serves `/api`, which shows a programmer what the API offers. */
function apiPage(server: FastifyInstance): void {
  server.get('/api', { schema: { hide: true } }, async (request, reply) => {
    const operations = listOperations(server.swagger().paths ?? {});
    const subjects = [...new Set(operations.map(subjectOf))];
    const origin = `${request.protocol}://${request.host}`;
    return sendPage(
      reply,
      <Page title="API" viewer={viewerOf(request)} path="/api">
        <Section title="How to use it">
          <p>
            A program sends a token that you make on <a href="/me">your account</a> and gets JSON. It may do what both
            the token and your role allow.
          </p>
          <p>
            <code class="wrap">curl -H "Authorization: Bearer TOKEN" {origin}/api/v1/overview</code>
          </p>
          <p>
            <a href="/api/v1/openapi.json">OpenAPI description</a>
          </p>
        </Section>
        {subjects.map((subject) => (
          <Section key={subject} title={subject}>
            <Table
              label={`Addresses: ${subject}`}
              rows={operations.filter((one) => subjectOf(one) === subject)}
              empty="Nothing."
              columns={[
                { title: 'Method', cell: ({ method }) => <code>{method}</code> },
                { title: 'Path', place: 'name', cell: ({ path }) => <code>{path}</code> },
                { title: 'What it does', cell: ({ operation }) => <About operation={operation} /> },
              ]}
            />
          </Section>
        ))}
      </Page>,
    );
  });
}

function About({ operation: { summary, description } }: { operation: Operation }) {
  return (
    <>
      {summary}
      {description && <div class="hint">{said(description)}</div>}
    </>
  );
}

function listOperations(paths: object): Listed[] {
  return Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function subjectOf({ operation }: Listed): string {
  return operation.tags?.[0] ?? 'Other';
}
