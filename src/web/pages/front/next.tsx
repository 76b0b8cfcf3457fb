import { Section, Table } from '../../parts/blocks.tsx';
import { Moment } from '../../parts/words.tsx';
import type { Front } from './read-front.ts';

/** Shows what happens next on its own, and what expires soon. */
export function Next({ front }: { front: Front }) {
  return (
    <Section title="What comes next" live="next" actions={<a href="/schedules">Schedules</a>}>
      <Table
        label="Next runs and windows"
        rows={front.coming}
        empty="No schedule, window or expected file is set up: every file is taken and sent as soon as it is complete."
        columns={[
          { title: 'What', cell: ({ what }) => what },
          { title: 'When', cell: ({ at, timeZone }) => (at ? <Moment at={at} timeZone={timeZone} /> : 'never') },
        ]}
      />
      {front.expiring.length > 0 && (
        <>
          <h3>Ends within 30 days</h3>
          <Table
            label="What ends"
            rows={front.expiring}
            empty=""
            columns={[
              {
                title: 'What',
                cell: ({ what, name }) =>
                  what === 'token'
                    ? `API token ${name} stops working`
                    : `The first originals of ${name} are destroyed, as its retention says`,
              },
              { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={front.zone} /> },
            ]}
          />
        </>
      )}
    </Section>
  );
}
