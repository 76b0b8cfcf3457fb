import type { readProposalsOf } from '../../../ledger/proposal/proposals.ts';
import { Notice } from '../../parts/blocks.tsx';

type Waiting = Awaited<ReturnType<typeof readProposalsOf>>;

/** Shows open proposals, on which another person must decide. */
export function WaitingProposals({ proposals }: { proposals: Waiting }) {
  if (proposals.length === 0) return null;
  return (
    <Notice kind="info" title="A second person is waited for">
      {proposals.map(({ proposal_no: no, batch_no: batchNo, action, made_by: by }) => (
        <p key={no}>
          {by.replace(/^operator:/, '')} proposed “{action}”{batchNo === null ? '' : ` for batch ${batchNo}`}.{' '}
          <a href="/proposals">See proposal {no}</a>
        </p>
      ))}
    </Notice>
  );
}
