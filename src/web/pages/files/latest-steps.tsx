import type { AuditLink } from '../../../ledger/overview/list-audit.ts';
import { Table } from '../../parts/blocks.tsx';
import { Moment } from '../../parts/words.tsx';

/** Most audit links on the page of a file; a large file has tens of thousands. */
export const SHOWN_STEPS = 100;

/** Shows the latest moves of a file and its batches, the newest first. */
export function LatestSteps({
  fileId,
  links,
  timeZone,
}: {
  fileId: string;
  links: readonly AuditLink[];
  timeZone: string;
}) {
  return (
    <>
      <Table
        label="Latest steps"
        rows={links.toReversed()}
        empty="Nothing was done to it yet."
        columns={[
          { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
          { title: 'Who', cell: ({ actor }) => whoOf(actor) },
          {
            title: 'Batch',
            isFigure: true,
            cell: ({ batch_no: no }) => no !== null && <a href={`/files/${fileId}/batches/${no}`}>{no}</a>,
          },
          { title: 'What', cell: ({ move, to_state: to }) => stepOf(move, to) },
          { title: 'Why', cell: ({ reason }) => <span class="wide">{reason}</span> },
        ]}
      />
      <p>
        <a href={`/audit?file=${fileId}`}>
          {links.length < SHOWN_STEPS
            ? 'The same in the audit trail, with the evidence'
            : 'All steps, in the audit trail'}
        </a>
      </p>
    </>
  );
}

function whoOf(actor: string): string {
  return actor.startsWith('operator:') ? actor.slice('operator:'.length) : 'paydrop';
}

function stepOf(move: string, to: string | null): string {
  return to === null ? move : `${move}: now ${to.replaceAll('_', ' ')}`;
}
