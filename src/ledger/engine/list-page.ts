import type pg from 'pg';
import type { Ledger } from './open-ledger.ts';
import type { Queryable } from './transaction.ts';

/** What the readers of lists need, so that a snapshot serves them as well. */
export type LedgerReader = { readonly pool: Queryable };

/**
 * Which rows of a list to read. Every row has a number, which names its place and decides between equal values. So a page
 * stays where it is while rows come and go.
 */
export type ListPage<Order extends string = string> = {
  /** The first order of the list if left out. */
  readonly order?: Order | undefined;
  readonly isDescending?: boolean | undefined;
  /** Number of the last row before the page. */
  readonly after?: number | undefined;
  /** Number of the first row behind the page, which then ends right before it. */
  readonly before?: number | undefined;
  readonly limit: number;
};

/**
 * Returns the SQL of a page: a condition and an order.
 * @param list.value what the order sorts by; the number itself for the order by number
 * @param list.valueAt SQL for the value of the row whose number is the parameter `place`
 */
export function pageSql(
  { value, number, valueAt }: { value: string; number: string; valueAt: (place: string) => string },
  { isDescending = false, before }: ListPage,
  place: string,
): { condition: string; order: string } {
  const isDown = isReadDown({ isDescending, before });
  const [sign, direction] = isDown ? ['<', 'DESC'] : ['>', 'ASC'];
  if (value === number)
    return { condition: `(${place}::bigint IS NULL OR ${number} ${sign} ${place})`, order: `${number} ${direction}` };
  return {
    condition: `(${place}::bigint IS NULL OR (${value}, ${number}) ${sign} ((${valueAt(place)}), ${place}))`,
    order: `${value} ${direction}, ${number} ${direction}`,
  };
}

/** A page that ends before a row is read from there, in the other direction. */
export function isReadDown({ isDescending = false, before }: Pick<ListPage, 'isDescending' | 'before'>): boolean {
  return isDescending !== (before !== undefined);
}

/** Puts rows as they were read into the order of their list. */
export function inListOrder<Row>(rows: Row[], { before }: Pick<ListPage, 'before'>): Row[] {
  return before === undefined ? rows : rows.toReversed();
}

/** A ledger that shows one moment. Its connection is its own until it is closed. */
export type Snapshot = { readonly ledger: Ledger; close(): Promise<void> };

/** Opens a snapshot for reads alone. The server ends it when nothing is read for a minute. */
export async function openSnapshot(ledger: Ledger): Promise<Snapshot> {
  const client = await ledger.locks.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  } catch (error) {
    client.release(true);
    throw error;
  }
  // A connection answers one query at a time, while readers may ask several.
  let last: Promise<unknown> = Promise.resolve();
  const query = (text: string, values?: unknown[]) => {
    const answer = last.then(() => client.query(text, values));
    last = answer.catch(() => {});
    return answer;
  };
  return {
    ledger: { ...ledger, pool: Object.create(ledger.pool, { query: { value: query } }) as pg.Pool },
    close: async () => {
      const isEnded = await client.query('COMMIT').then(
        () => true,
        () => false,
      );
      client.release(!isEnded);
    },
  };
}
