import { capital, whoDid } from '../../explain/why/sentence.ts';
import type { DecidedMatter } from '../../ledger/overview/list-audit.ts';
import { PROPOSED_ACTIONS } from '../../ledger/proposal/confirm-proposal.ts';
import { Table } from '../parts/blocks.tsx';
import { Moment } from '../parts/words.tsx';

/** Shows what was decided, by which person and why. */
export function DecidedTable({ rows }: { rows: readonly DecidedMatter[] }) {
  return (
    <Table
      label="Decisions"
      rows={rows}
      empty="Nothing was decided in the last 30 days."
      columns={[
        { title: 'What', cell: (matter) => <What matter={matter} />, place: 'name' },
        { title: 'Decision', cell: ({ move }) => DECISIONS[move], place: 'of-state' },
        { title: 'By', cell: ({ actor }) => whoDid(actor) },
        { title: 'When', cell: ({ at }) => <Moment at={at} /> },
        { title: 'Reason', cell: ({ reason }) => reason },
      ]}
    />
  );
}

const DECISIONS: Readonly<Record<DecidedMatter['move'], string>> = {
  approve: 'Approved',
  decline: 'Declined',
  'decline-rest': 'Declined the rest',
  confirm: 'Confirmed',
  'refuse-proposal': 'Refused',
};

function What({ matter: { fileId, batchNo, name, action } }: { matter: DecidedMatter }) {
  const about = action === null ? '' : capital(PROPOSED_ACTIONS[action]?.about ?? action);
  if (fileId === null) return <>{about}</>;
  const path = `/files/${fileId}${batchNo === null ? '' : `/batches/${batchNo}`}`;
  return (
    <>
      <a href={path}>{batchNo === null ? name : `${name}, batch ${batchNo}`}</a>
      {about !== '' && `: ${about}`}
    </>
  );
}
