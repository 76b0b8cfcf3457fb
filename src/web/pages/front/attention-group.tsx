import type { ComponentChildren } from 'preact';
import { type Column, Table } from '../../parts/blocks.tsx';
import { Count, Money } from '../../parts/words.tsx';

const SHOWN = 10;
/** Limit of the ledger's queries; at this number there may be more. */
const ASKED = 200;

/**
 * Shows everything of one kind that needs a person: how many, what that means, and the worst of them. Shows nothing
 * when there are none.
 * @param sumsOf for items with rows and money; gives an account's currency
 */
export function AttentionGroup<Item>({
  title,
  items,
  hint,
  sumsOf,
  columns,
}: {
  title: string;
  items: readonly Item[];
  hint: ComponentChildren;
  sumsOf?: (Item extends Amount ? Currencies : never) | undefined;
  columns: readonly Column<Item>[];
}) {
  if (items.length === 0) return null;
  const count = items.length >= ASKED ? `${ASKED} or more` : items.length;
  return (
    <div class="group">
      <h3>
        {title}: {count}
        {sumsOf && <Sum currencies={sumsOf} items={items as unknown as readonly Amount[]} />}
      </h3>
      <p class="hint">{hint}</p>
      <Table label={title} rows={items.slice(0, SHOWN)} columns={columns} empty="" />
      {items.length > SHOWN && <p class="soft">The first {SHOWN} are shown.</p>}
    </div>
  );
}

type Amount = { readonly account: string; readonly rows: number; readonly cents: number };
type Currencies = { currencyOf(account: string): string | undefined };

function Sum({ currencies: { currencyOf }, items }: { currencies: Currencies; items: readonly Amount[] }) {
  const currencies = [...new Set(items.map(({ account }) => currencyOf(account)))];
  const rows = items.reduce((sum, item) => sum + item.rows, 0);
  return (
    <>
      {', '}
      <Count of={rows} noun="row" />
      {currencies.map((currency) => {
        const own = items.filter(({ account }) => currencyOf(account) === currency);
        return (
          <span key={currency}>
            {', '}
            <Money cents={own.reduce((sum, { cents }) => sum + cents, 0)} currency={currency} />
          </span>
        );
      })}
    </>
  );
}
