import { sayAmount } from '../../../reconcile/say-withheld.ts';
import { Section } from '../../parts/blocks.tsx';
import { Count, Moment } from '../../parts/words.tsx';
import { NeedGroup } from './need-group.tsx';
import type { Front } from './read-front.ts';

/** Shows rows that had faults and were not sent. Only a person knows whether they came back in another file. */
export function Withheld({ front }: { front: Front }) {
  if (front.withheld.length === 0) return <div data-part="withheld" />;
  return (
    <Section title="Not paid" live="withheld">
      <NeedGroup
        title="Files with rows withheld in the last 7 days"
        items={front.withheld}
        hint="These rows have faults and were not sent; the others of their files were. Correct them in the rejects file and drop that."
        columns={[
          { title: 'File', cell: ({ fileId, name }) => <a href={`/files/${fileId}`}>{name}</a> },
          { title: 'Account', cell: ({ account }) => <a href={`/accounts/${account}`}>{account}</a> },
          { title: 'Rows', cell: ({ rows }) => <Count of={rows} />, isFigure: true },
          { title: 'Money', cell: sayAmount, isFigure: true },
          {
            title: 'Taken',
            cell: ({ claimedAt, account }) => <Moment at={claimedAt} timeZone={front.zoneOf(account)} />,
          },
        ]}
      />
    </Section>
  );
}
