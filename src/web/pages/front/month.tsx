import { Section, Table } from '../../parts/blocks.tsx';
import { DayChart, type DayPoint } from '../../parts/charts.tsx';
import { groupDigits, groupedCount } from '../../../kernel/counted.ts';
import { Count, Money } from '../../parts/words.tsx';
import { formatCents } from '../../../kernel/money.ts';
import { sayAmount } from '../../../reconcile/say-withheld.ts';
import { addDays, dayBounds } from '../../../calendar/calendar.ts';
import type { Settings } from '../../../config/config.ts';
import { dayInZone } from '../../../calendar/zone-time.ts';
import type { Withheld } from '../../../rows/rows.ts';
import type { Ledger } from '../../../ledger/engine/open-ledger.ts';
import { type DaySpan, type DaySum, sumDays } from '../../../ledger/schedule/read-day.ts';

/** Shows what ended on each of the last days: rows, money and the declined share. */
export function Month({ days }: { days: readonly MonthDay[] }) {
  const currencies = [
    ...new Set(days.flatMap(({ cents, withheld }) => [...Object.keys(cents), ...Object.keys(withheld)])),
  ].sort();
  return (
    <Section title={`Last ${MONTH_DAYS} days`} live="month">
      {currencies.length === 0 ? (
        <p class="empty">Once the service has returned results, their rows and money are shown here by day.</p>
      ) : (
        <>
          <p class="hint">Payments by the day of their result, with their first outcome.</p>
          <div class="columns">
            <DayChart label="Rows a day" shape="bars" points={days.map(rowsOf)} />
            {currencies.map((currency) => (
              <DayChart
                key={currency}
                label={`Money a day, ${currency}`}
                shape="bars"
                points={days.map((day) => moneyOf(day, currency))}
              />
            ))}
            <DayChart label="Declined rows" shape="line" points={days.map(declinedOf)} />
          </div>
          <details>
            <summary>The same as a table</summary>
            <Table
              label="Figures of each day"
              rows={days.filter(({ rows, withheld }) => rows > 0 || Object.keys(withheld).length > 0).toReversed()}
              empty="None."
              columns={[
                { title: 'Day', cell: ({ day }) => <a href={`/report?day=${day}`}>{day}</a> },
                { title: 'Rows', cell: ({ rows }) => <Count of={rows} />, isFigure: true },
                ...currencies.map((currency) => ({
                  title: `Money, ${currency}`,
                  cell: ({ cents }: MonthDay) => <Money cents={cents[currency] ?? 0} />,
                  isFigure: true,
                })),
                { title: 'Declined', cell: ({ declined }) => <Count of={declined} />, isFigure: true },
                { title: 'Share declined', cell: (day) => percentOf(day), isFigure: true },
                { title: 'Withheld and not paid', cell: withheldOf },
              ]}
            />
          </details>
        </>
      )}
    </Section>
  );
}

function rowsOf({ day, rows }: MonthDay): DayPoint {
  return { day, value: rows, says: groupDigits(String(rows)) };
}

function moneyOf({ day, cents }: MonthDay, currency: string): DayPoint {
  const value = cents[currency] ?? 0;
  return { day, value, says: `${groupDigits(formatCents(value))} ${currency}` };
}

/** Returns the declined share: none, not zero, for a day without rows. */
function declinedOf(day: MonthDay): DayPoint {
  return { day: day.day, value: day.rows === 0 ? null : day.declined / day.rows, says: percentOf(day) };
}

/** Lists withheld rows by the day on which their files were accepted. */
function withheldOf({ withheld }: MonthDay): string {
  const said = Object.entries(withheld).map(
    ([currency, sum]) => `${groupedCount(sum.rows, 'row')}: ${sayAmount(sum)} ${currency}`,
  );
  return said.join('; ') || 'none';
}

function percentOf({ rows, declined }: MonthDay): string {
  return rows === 0 ? 'none' : `${((100 * declined) / rows).toFixed(1)} %`;
}

/** A day over all accounts, with money per currency. */
export type MonthDay = {
  readonly day: string;
  readonly rows: number;
  readonly declined: number;
  readonly cents: Readonly<Record<string, number>>;
  /** Rows not sent because of their faults, by currency; a currency without any is absent. */
  readonly withheld: Readonly<Record<string, Withheld>>;
};

/** Number of days, today included. */
export const MONTH_DAYS = 30;

/** Reads what ended on each of the last days, the earliest first. Each account uses the days of its own zone. */
export type MonthReader = () => Promise<MonthDay[]>;

/** How long after its end a host with a slow clock may still add to a day, in ms. */
const SETTLE_MS = 3_600_000;

/**
 * Reads the last days and caches those that are over. Nothing leaves a final state, so their figures are fixed and need
 * no new query per page.
 */
export function openMonth(ledger: Ledger, settings: Pick<Settings, 'accounts'>): MonthReader {
  let known = new Map<string, DaySum | undefined>();
  return async () => {
    const now = ledger.clock.now();
    const spans = spansOf(settings, now);
    const asked = spans.filter((span) => !known.has(keyOf(span)));
    const fresh = new Map((await sumDays(ledger, asked)).map((sum) => [keyOf(sum), sum]));
    const sums = new Map(spans.map((span) => [keyOf(span), known.get(keyOf(span)) ?? fresh.get(keyOf(span))]));
    const settledAt = now.getTime() - SETTLE_MS;
    // Keeps these days only, so that the cache does not grow.
    known = new Map(
      spans.filter(({ until }) => until.getTime() <= settledAt).map((span) => [keyOf(span), sums.get(keyOf(span))]),
    );
    return addUp(spans, [...sums.values()], settings);
  };
}

function keyOf({ account, day }: Pick<DaySpan, 'account' | 'day'>): string {
  return `${day} ${account}`;
}

function addUp(
  spans: readonly DaySpan[],
  sums: readonly (DaySum | undefined)[],
  { accounts }: Pick<Settings, 'accounts'>,
): MonthDay[] {
  const days = [...new Set(spans.map(({ day }) => day))].sort();
  return days.map((day) => {
    const cents: Record<string, number> = {};
    const withheld: Record<string, Withheld> = {};
    let [rows, declined] = [0, 0];
    for (const sum of sums) {
      if (sum?.day !== day) continue;
      const { currency } = accounts.get(sum.account)!;
      if (sum.rows > 0) cents[currency] = (cents[currency] ?? 0) + sum.cents;
      if (sum.withheld.rows > 0) withheld[currency] = addWithheld(sum.withheld, withheld[currency]);
      rows += sum.rows;
      declined += sum.declined;
    }
    return { day, rows, declined, cents, withheld };
  });
}

function addWithheld(one: Withheld, other: Withheld = { rows: 0, cents: 0, unreadable: 0 }): Withheld {
  return {
    rows: one.rows + other.rows,
    cents: one.cents + other.cents,
    unreadable: one.unreadable + other.unreadable,
  };
}

function spansOf({ accounts }: Pick<Settings, 'accounts'>, now: Date): DaySpan[] {
  // Accounts share zones, and computing the days of a zone takes a while.
  const byZone = new Map<string, Omit<DaySpan, 'account'>[]>();
  return [...accounts.values()].flatMap(({ name: account, timeZone }) => {
    const days = byZone.get(timeZone) ?? lastDays(timeZone, now);
    byZone.set(timeZone, days);
    return days.map((day) => ({ account, ...day }));
  });
}

function lastDays(timeZone: string, now: Date): Omit<DaySpan, 'account'>[] {
  const today = dayInZone(now, timeZone);
  return Array.from({ length: MONTH_DAYS }, (_, index) => addDays(today, index + 1 - MONTH_DAYS)).flatMap((day) => {
    const bounds = dayBounds(day, timeZone);
    return bounds ? [{ day, ...bounds }] : [];
  });
}
