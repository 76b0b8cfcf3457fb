import { COLUMNS, type ColumnName } from '../../../../schemas/layouts.ts';
import { ERRORS } from '../../../../schemas/errors.ts';
import { capital } from '../../../explain/why/sentence.ts';
import { type FaultGroup, type ListedFault, listFaults, readFaultGroups } from '../../../ledger/row/fault-counts.ts';
import { Section, splitPage, StepPager, Table } from '../../parts/blocks.tsx';
import { Count } from '../../parts/words.tsx';
import type { HeadFacts } from './file-head.tsx';
import { startOf, tabPath, type TabVisit } from './read-address.ts';

const PAGE = 100;

/** Shows the faults of a file by cause, and below them line by line. */
export async function showProblems({ app, request }: TabVisit, { file }: Pick<HeadFacts, 'file'>) {
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
      </Section>
      <Section title="Line by line">
        <FaultTable faults={page} />
        <StepPager
          first={from > 1 ? tabPath(file, 'problems') : undefined}
          next={more && tabPath(file, 'problems', { from: more.seq })}
          says={`From problem ${page[0]?.seq ?? from}`}
        />
      </Section>
    </>
  );
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

export function FaultTable({ faults }: { faults: readonly ListedFault[] }) {
  return (
    <Table
      label="Line by line"
      rows={faults}
      empty={NO_PROBLEMS}
      columns={[
        { title: 'Line', isFigure: true, cell: ({ line }) => (line === 0 ? 'file' : line) },
        { title: 'Column', cell: ({ column }) => titleOf(column) },
        { title: 'What is wrong', cell: (fault) => <Wrong fault={fault} /> },
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
