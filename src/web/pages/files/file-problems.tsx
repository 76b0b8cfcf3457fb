import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { COLUMNS, type ColumnName } from '../../../../schemas/layouts.ts';
import { ERRORS } from '../../../../schemas/errors.ts';
import { capital } from '../../../explain/why/sentence.ts';
import { shortId } from '../../../kernel/ids.ts';
import { recordDownload } from '../../../ledger/person/record-access.ts';
import { type FaultGroup, type ListedFault, listFaults, readFaultGroups } from '../../../ledger/row/fault-counts.ts';
import { problemLines } from '../../../../workers/deliver/problem-rows.ts';
import { Refusal } from '../../access/refusal.ts';
import { actorOf, type Viewer, viewerMay } from '../../access/viewer.ts';
import { addressOf } from '../../parts/address.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { Section, splitPage, StepPager, Table } from '../../parts/blocks.tsx';
import { Count, PaymentLink } from '../../parts/words.tsx';
import type { HeadFacts } from './file-head.tsx';
import { attachmentOf } from './file-outputs.tsx';
import { fileOf, startOf, tabPath, type TabVisit } from './read-address.ts';

const PAGE = 100;

/** Shows the faults of a file by cause, and below them line by line. */
export async function showProblems({ app, request, viewer }: TabVisit, { file }: Pick<HeadFacts, 'file'>) {
  const from = startOf(request, 'from');
  const [groups, found] = await Promise.all([
    readFaultGroups(app.ledger, file.file_no),
    listFaults(app.ledger, file.file_no, { from, limit: PAGE + 1 }),
  ]);
  const { page, more } = splitPage(found, PAGE);
  return (
    <>
      <Section title="Problems by cause" live="causes">
        <GroupTable groups={groups} />
        <Correct file={file} viewer={viewer} site={app.settings.site} hasRows={groups.some(isOfRows)} />
      </Section>
      <Section title="Line by line">
        <FaultTable fileId={file.file_id} faults={page} />
        <StepPager
          first={from > 1 ? tabPath(file, 'problems') : undefined}
          next={more && tabPath(file, 'problems', { from: more.seq })}
          says={`From problem ${page[0]?.seq ?? from}`}
        />
      </Section>
    </>
  );
}

function isOfRows({ lines }: FaultGroup): boolean {
  return lines.some((line) => line > 0);
}

/** Leads to the faulty rows alone, and to the place for the corrected file of one that is not sent. */
function Correct({
  file,
  viewer,
  site,
  hasRows,
}: Pick<HeadFacts, 'file'> & { viewer: Viewer; site: string; hasRows: boolean }) {
  const isStopped = file.state === 'held' || file.state === 'rejected';
  return (
    <p class="actions">
      {hasRows && file.layout !== null && file.site === site && (
        <a class="button" href={`/files/${file.file_id}/problems.csv`} download>
          Download only these rows
        </a>
      )}
      {isStopped && viewerMay(viewer, 'drop') && (
        <a class="button" href={addressOf('/drop', { replaces: file.file_id })}>
          Upload the corrected file…
        </a>
      )}
    </p>
  );
}

/** Serves `/files/:fileId/problems.csv`: the rows that have a problem, masked, with the reasons. */
export function problemDownload(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files/:fileId/problems.csv', async (request, reply) => {
    const file = await fileOf(app, request);
    if (file.layout === null || file.site !== app.settings.site) throw new Refusal('NOT_FOUND');
    const name = `${shortId(file.file_id)}.problems.csv`;
    const lines = problemLines(app, file);
    // A file that cannot be opened is told before the answer begins.
    const first = await lines.next();
    if (request.method === 'GET') {
      const download = { actor: actorOf(viewerOf(request)), fileId: file.file_id, kind: 'problems', number: 0, name };
      await recordDownload(app.ledger, download).catch(async (error: unknown) => {
        await lines.return(undefined);
        throw error;
      });
    }
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', attachmentOf(name))
      .header('cache-control', 'no-store')
      .send(Readable.from(withFirst(first.value ?? '', lines)));
  });
}

async function* withFirst(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Shows how often each cause is there, and the first lines that have it. */
export function GroupTable({ groups }: { groups: readonly FaultGroup[] }) {
  return (
    <Table
      label="Problems by cause"
      rows={groups}
      empty={NO_PROBLEMS}
      columns={[
        { title: 'Problem', place: 'name', cell: (group) => <Wrong fault={group} /> },
        { title: 'Column', cell: ({ column }) => titleOf(column) },
        { title: 'Times', isFigure: true, place: 'amount', cell: ({ faults }) => <Count of={faults} /> },
        { title: 'Lines', cell: (group) => linesOf(group) },
        { title: 'What to do', cell: ({ code }) => <span class="wide">{ERRORS[code]?.remedy}</span> },
      ]}
    />
  );
}

const NO_PROBLEMS = 'No problems. Errors and warnings about the file are listed here, with the line and what to do.';

/** Says what is wrong; the code is told on hover. */
function Wrong({ fault: { code, detail } }: { fault: Pick<ListedFault, 'code' | 'detail'> }) {
  return (
    <span class="wide" title={code}>
      {[capital(ERRORS[code]?.means ?? 'A problem that is no longer in the table'), detail].filter(Boolean).join(': ')}
    </span>
  );
}

function linesOf({ lines, faults }: FaultGroup): string {
  if (lines[0] === 0) return 'file';
  return lines.join(', ') + (faults > lines.length ? ', …' : '');
}

export function FaultTable({ fileId, faults }: { fileId: string; faults: readonly ListedFault[] }) {
  return (
    <Table
      label="Line by line"
      rows={faults}
      empty={NO_PROBLEMS}
      columns={[
        {
          title: 'Line',
          isFigure: true,
          cell: ({ line, isRow }) => (isRow ? <PaymentLink fileId={fileId} line={line} /> : line === 0 ? 'file' : line),
        },
        { title: 'Column', cell: ({ column }) => titleOf(column) },
        { title: 'What is wrong', cell: (fault) => <Wrong fault={fault} /> },
        { title: 'What to do', cell: ({ code }) => <span class="wide">{ERRORS[code]?.remedy}</span> },
        { title: 'Value, masked', cell: ({ value }) => value !== null && <code>{value}</code> },
      ]}
    />
  );
}

/** Returns the column's title in file headers. A ledger keeps its columns when a release takes one out of the table. */
function titleOf(column: string | null): string {
  if (column === null) return '';
  return Object.hasOwn(COLUMNS, column) ? COLUMNS[column as ColumnName].title : column;
}
