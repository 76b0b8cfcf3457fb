import type { ComponentChildren } from 'preact';
import { ALL_ACCOUNTS } from '../../../ledger/account/pause-account.ts';
import type { HoldingBatch, Holds, Stop } from '../../../ledger/account/read-holds.ts';
import { describeHoldingBatch, describeStop } from '../../../explain/describe-holds.ts';

/** Shows why an account does not send, with a link for each hold; nothing when it may send. */
export function WhyItWaits({ holds: { stops, batches }, timeZone }: { holds: Holds; timeZone: string }) {
  if (stops.length + batches.length === 0) return null;
  return (
    <ul class="reasons">
      {stops.map((stop) => (
        <li key={stop.account + stop.kind}>
          {describeStop(stop, timeZone).says} <Next>{nextOfStop(stop)}</Next>
        </li>
      ))}
      {batches.map((batch) => (
        <li key={`${batch.fileId}/${batch.batchNo}`}>
          {describeHoldingBatch(batch, timeZone).says} <Next>{nextOfBatch(batch)}</Next>
        </li>
      ))}
    </ul>
  );
}

function Next({ children }: { children: ComponentChildren }) {
  return <span class="soft">{children}</span>;
}

function nextOfStop({ account, kind }: Stop): ComponentChildren {
  if (account === ALL_ACCOUNTS) return <a href="/accounts">See the stop of all accounts.</a>;
  if (kind !== 'journal') return 'When the cause is fixed, an approver resumes the account.';
  return (
    <>
      Compare <a href={`/accounts/${account}#s-calls-that-the-ledger-has-forgotten`}>the forgotten calls</a> with the
      service's own report first.
    </>
  );
}

function nextOfBatch({ fileId, batchNo, state }: HoldingBatch): ComponentChildren {
  if (state === 'preparing' || state === 'sending') return 'Nothing is to be done.';
  return <a href={`/files/${fileId}/batches/${batchNo}`}>See the batch and what can be done.</a>;
}
