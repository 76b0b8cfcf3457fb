import type { ToldTotal } from '../../../explain/read-control-totals.ts';
import { Table } from '../../parts/blocks.tsx';

/** Shows the control totals of a file: what must be equal at each hand-over, both figures, and the result. */
export function ControlTotals({ totals }: { totals: readonly ToldTotal[] }) {
  return (
    <Table
      label="Control totals"
      rows={totals}
      empty="The file was refused and nothing of it was sent, so there is nothing that must agree. Its faults say why."
      columns={[
        { title: 'Check', cell: ({ id }) => id },
        { title: 'What must agree', cell: ({ id }) => ABOUT[id] ?? '' },
        { title: 'Figures', cell: ({ says }) => <span class="wide">{says}</span> },
        {
          title: 'Result',
          cell: ({ state }) => <span class={`state ${TONES[state]}`}>{state}</span>,
        },
      ]}
    />
  );
}

const TONES = { agree: 'good', differ: 'bad', 'not yet': 'busy', 'not needed': 'quiet' } as const;

/** What each control total compares. */
const ABOUT: Readonly<Record<string, string>> = {
  H0: 'The control file of the sender and what came',
  H1: 'The bytes that were taken and the bytes that were read',
  H2: 'The lines of the file and its rows',
  H3: 'All rows, and those that are valid or withheld',
  H4: 'The valid rows and the batches that were cut from them',
  H5: 'The bytes of each batch and its rows, read by another reader',
  H6: 'The rows of the results and the rows that were sent',
  H7: 'The outcomes and the batches',
  H8: 'The output files on the disk and the ledger',
};
