import type { AttemptInDoubt } from '../../../ledger/doubt/in-doubt.ts';
import { describeAnswer, describeWritten } from '../../../explain/attempt-words.ts';
import { Table } from '../../parts/blocks.tsx';
import { Moment } from '../../parts/words.tsx';

/** Shows the calls of a batch, the latest first: when, to which host, what was written and what came back. */
export function BatchAttempts({ attempts, timeZone }: { attempts: readonly AttemptInDoubt[]; timeZone: string }) {
  return (
    <Table
      label="Attempts"
      rows={attempts}
      empty="It was not sent yet. Each call of the service is written down here before its first byte leaves."
      columns={[
        { title: 'Attempt', isFigure: true, cell: ({ attempt }) => attempt },
        { title: 'Began', cell: ({ started_at: at }) => <Moment at={at} timeZone={timeZone} /> },
        { title: 'Ended', cell: ({ ended_at: at }) => (at ? <Moment at={at} timeZone={timeZone} /> : 'not yet') },
        { title: 'To', cell: ({ host }) => host },
        { title: 'Verdict', cell: ({ verdict }) => VERDICTS[verdict ?? ''] ?? verdict },
        { title: 'Written', cell: (attempt) => <span class="wide">{describeWritten(attempt)}</span> },
        { title: 'Came back', cell: (attempt) => <span class="wide">{cameBack(attempt)}</span> },
        {
          title: 'What a person found',
          cell: ({ resolution }) => resolution && (RESOLUTIONS[resolution] ?? resolution),
        },
      ]}
    />
  );
}

const VERDICTS: Readonly<Record<string, string>> = {
  '': 'none yet',
  submitted: 'taken by the service',
  refused: 'refused by the service',
  not_sent: 'nothing was sent',
  unknown: 'in doubt',
};

const RESOLUTIONS: Readonly<Record<string, string>> = {
  adopted: 'its batch id was found',
  not_received: 'the service never took it',
  settled: 'decided row by row from reports',
  in_doubt: 'closed without an answer',
};

/** Returns the answer; one that was understood is kept as text only. */
function cameBack(attempt: AttemptInDoubt): string {
  const text = attempt.evidence?.['text'];
  return typeof text === 'string' ? text : describeAnswer(attempt);
}
