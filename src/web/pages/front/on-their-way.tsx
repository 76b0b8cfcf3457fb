import { Section, Table } from '../../parts/blocks.tsx';
import { Count, Moment, State } from '../../parts/words.tsx';
import type { Front } from './read-front.ts';

/** Most files that are shown; the files page has all. */
const SHOWN = 20;

/** Shows the files in progress that need no person, the oldest first. */
export function OnTheirWay({ front }: { front: Front }) {
  const moving = front.standing.open.filter(({ state }) => state !== 'held');
  return (
    <Section title="On their way" live="moving" actions={<a href="/files">All files</a>}>
      <Table
        label="Files on their way"
        rows={moving.slice(0, SHOWN)}
        empty="Nothing is on its way. A file that is dropped stands here until each of its rows has an outcome."
        columns={[
          { title: 'File', cell: (file) => <a href={`/files/${file.file_id}`}>{file.name}</a> },
          { title: 'Account', cell: ({ account }) => <a href={`/accounts/${account}`}>{account}</a> },
          { title: 'State', cell: ({ state }) => <State state={state} /> },
          {
            title: 'Rows',
            cell: ({ records }) => (records === null ? 'being read' : <Count of={records} />),
            isFigure: true,
          },
          { title: 'Batches done', cell: ({ done, batches }) => (batches === 0 ? '' : `${done} of ${batches}`) },
          { title: 'Since', cell: (file) => <Moment at={file.state_at} timeZone={front.zoneOf(file.account)} /> },
        ]}
      />
      {moving.length > SHOWN && <p class="soft">The oldest {SHOWN} are shown.</p>}
    </Section>
  );
}
