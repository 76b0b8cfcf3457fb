import {
  BATCH_STATES,
  type BatchState,
  FINAL_BATCH_STATES,
  OUTCOMES,
  type Outcome,
} from '../../../../schemas/lifecycle.ts';
import type { OutcomeTotals, Totals } from '../../../rows/rows.ts';
import type { FileFigures } from '../../../ledger/file/file-figures.ts';
import { addressOf } from '../../parts/address.ts';
import { Table } from '../../parts/blocks.tsx';
import { OutcomeBar } from '../../parts/outcome-bar.tsx';
import { Count, Money, OutcomeWord } from '../../parts/words.tsx';

/** Shows rows and money per outcome as a bar and a table, with links to the rows. */
export function OutcomePart({
  fileId,
  figures,
  currency,
}: {
  fileId: string;
  figures: FileFigures;
  currency: string | undefined;
}) {
  const totals = presentTotals(figures);
  const names = (Object.keys(OUTCOMES) as Outcome[]).filter((name) => totals[name]);
  const { waiting, underWay } = openTotals(figures);
  const rows = [
    ...names.map((name) => ({
      name,
      word: <OutcomeWord outcome={name} />,
      means: OUTCOMES[name].means,
      ...totals[name]!,
    })),
    { name: 'open', word: 'waits', means: 'not sent yet, nothing was charged', ...waiting },
    { name: 'open', word: 'on its way', means: 'the batch has not ended; its money may have moved', ...underWay },
  ].filter((row) => row.rows > 0);
  return (
    <>
      {names.length > 0 && <OutcomeBar totals={totals} label="Outcomes of the file" currency={currency} />}
      <Table
        label="Outcomes"
        rows={rows}
        empty="No rows are on their way. The outcome of each row stands here when the service has answered."
        columns={[
          { title: 'Outcome', cell: ({ word }) => word },
          { title: 'It means', cell: ({ means }) => means },
          {
            title: 'Rows',
            isFigure: true,
            cell: ({ name, rows: count }) => (
              <a href={addressOf(`/files/${fileId}/rows`, { outcome: name })}>
                <Count of={count} />
              </a>
            ),
          },
          { title: 'Total', isFigure: true, cell: ({ cents }) => <Money cents={cents} currency={currency} /> },
        ]}
      />
    </>
  );
}

/** Sums every row that reached its end: outcomes of sent rows, rows never to be sent, and withheld rows. */
export function presentTotals({ now, states: { cancelled }, withheld }: FileFigures): OutcomeTotals {
  return {
    ...now,
    ...(cancelled && { not_sent: { rows: cancelled.rows, cents: cancelled.cents } }),
    ...(withheld.rows > 0 && { invalid: withheld }),
  };
}

/**
 * Sums the rows of open batches; none of them may count as not sent. `waiting` certainly has not left yet; `underWay`
 * may have.
 */
export function openTotals({ states }: FileFigures): { waiting: Totals; underWay: Totals } {
  const add = (wanted: readonly BatchState[]): Totals => ({
    rows: wanted.reduce((sum, state) => sum + (states[state]?.rows ?? 0), 0),
    cents: wanted.reduce((sum, state) => sum + (states[state]?.cents ?? 0), 0),
  });
  const open = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => !isOneOf(FINAL_BATCH_STATES, state));
  return {
    waiting: add(NOT_SENT_YET),
    underWay: add(open.filter((state) => !isOneOf(NOT_SENT_YET, state))),
  };
}

/** States in which nothing was charged and a batch may still be sent. */
const NOT_SENT_YET = ['ready', 'preparing', 'refused'] as const satisfies readonly BatchState[];

function isOneOf(states: readonly BatchState[], state: BatchState): boolean {
  return states.includes(state);
}
