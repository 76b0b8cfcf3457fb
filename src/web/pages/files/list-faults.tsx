import type { FastifyInstance } from 'fastify';
import { COLUMNS, type ColumnName } from '../../../../schemas/columns.ts';
import { ERRORS } from '../../../../schemas/errors.ts';
import { type ListedFault, listFaults } from '../../../ledger/row/list-faults.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { addressOf } from '../../parts/address.ts';
import { Section, Table, splitPage, StepPager } from '../../parts/blocks.tsx';
import { Page } from '../../parts/page.tsx';
import { sendPage } from '../../send-page.ts';
import { fileOf, startOf } from './read-address.ts';

const PAGE_FAULTS = 100;

/** Serves `/files/:fileId/faults`: every fault of a file, in the order found. */
export function listFaultsPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files/:fileId/faults', async (request, reply) => {
    const file = await fileOf(app, request);
    const from = startOf(request, 'from');
    const path = `/files/${file.file_id}/faults`;
    const found = await listFaults(app.ledger, file.file_no, { from, limit: PAGE_FAULTS + 1 });
    const { page, more } = splitPage(found, PAGE_FAULTS);
    return sendPage(
      reply,
      <Page
        title="Faults"
        viewer={viewerOf(request)}
        path={path}
        crumbs={[
          { path: '/files', label: 'Files' },
          { path: `/files/${file.file_id}`, label: file.name },
        ]}
      >
        <Section title={`Faults of ${file.name}`}>
          <FaultTable faults={page} />
          <StepPager
            first={from > 1 ? path : undefined}
            next={more && addressOf(path, { from: more.seq })}
            says={`From fault ${page[0]?.seq ?? from}`}
          />
        </Section>
      </Page>,
    );
  });
}

export function FaultTable({ faults }: { faults: readonly ListedFault[] }) {
  return (
    <Table
      label="Faults"
      rows={faults}
      empty="No faults. What is wrong in a file or worth saying of it stands here, with the line and what to do."
      columns={[
        { title: 'Line', isFigure: true, cell: ({ line }) => (line === 0 ? 'file' : line) },
        { title: 'Column', cell: ({ column }) => titleOf(column) },
        { title: 'Code', cell: ({ code }) => <code>{code}</code> },
        {
          title: 'What it means',
          cell: ({ code, detail }) => (
            <span class="wide">{[ERRORS[code]?.means, detail].filter(Boolean).join(': ')}</span>
          ),
        },
        { title: 'What to do', cell: ({ code }) => <span class="wide">{ERRORS[code]?.remedy}</span> },
        { title: 'Value, masked', cell: ({ value }) => value !== null && <code>{value}</code> },
      ]}
    />
  );
}

/** Returns the column's title in file headers. Older rows may name a column that no longer exists. */
function titleOf(column: string | null): string {
  if (column === null) return '';
  return Object.hasOwn(COLUMNS, column) ? COLUMNS[column as ColumnName].title : column;
}
