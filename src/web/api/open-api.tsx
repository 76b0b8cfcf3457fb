import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { type WebContext, type Routes, viewerOf } from '../web-context.ts';
import { overviewApi } from './overview-api.ts';
import { COMMON_SHAPES, objectOf, shapeNamed, TEXT } from './shapes.ts';
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
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';

const SUBJECTS = [
  overviewApi,
  filesApi,
  batchesApi,
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
            A program sends a token that you make on <a href="/me">your account</a>and gets JSON. It may do what both
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
                { title: 'Path', cell: ({ path }) => <code>{path}</code> },
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
      {description && <p class="hint">{description}</p>}
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
