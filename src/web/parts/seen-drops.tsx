import type { SeenDrop, SeenDrops as Seen } from '../../explain/waiting-drops.ts';
import { Section, Table } from './blocks.tsx';
import { Count, Moment } from './words.tsx';

const SHOWN = 20;

/** Shows drops that were seen and are not taken yet. They have no file in the ledger, so no page of their own. */
export function SeenDrops({ seen: { shown, total } }: { seen: Seen }) {
  const rows = shown.slice(0, SHOWN);
  return (
    <div data-part="drops">
      {total > 0 && (
        <Section title="Seen, not taken yet">
          <Table
            label="Files in the drop folders"
            rows={rows}
            empty=""
            columns={[
              { title: 'File', place: 'name', cell: ({ name }) => name },
              { title: 'Account', cell: ({ account }) => account },
              { title: 'Folder', cell: ({ folder }) => <code class="wrap">{folder}</code> },
              { title: 'When it is taken', cell: sayWait },
              { title: 'Unchanged since', cell: ({ since }) => <Moment at={since} /> },
            ]}
          />
          {total > rows.length && (
            <p class="soft">
              <Count of={total - rows.length} noun="more file" /> in the drop folders.
            </p>
          )}
        </Section>
      )}
    </div>
  );
}

/** The script of the page counts the seconds down. */
function sayWait({ says, until }: SeenDrop) {
  return until === null ? says : <span data-until={until.toISOString()}>{says}</span>;
}
