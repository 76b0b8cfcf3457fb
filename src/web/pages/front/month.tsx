import { Section, Table } from '../../parts/blocks.tsx';
import { DayChart, type DayPoint } from '../../parts/day-chart.tsx';
import { Count, groupDigits, groupedCount, Money } from '../../parts/words.tsx';
import { formatCents } from '../../../kernel/money.ts';
import { sayAmount } from '../../../reconcile/say-withheld.ts';
import { MONTH_DAYS, type MonthDay } from './read-month.ts';

/** Shows what ended on each of the last days: rows, money and the declined share. */
export function Month({ days }: { days: readonly MonthDay[] }) {
  const currencies = [
    ...new Set(days.flatMap(({ cents, withheld }) => [...Object.keys(cents), ...Object.keys(withheld)])),
  ].sort();
  return (
    <Section title={`Last ${MONTH_DAYS} days`} live="month">
      {currencies.length === 0 ? (
        <p class="empty">When payments have come back from the service, their rows and money stand here day by day.</p>
      ) : (
        <>
          <p class="hint">Payments by the day on which their result came, as they came out first.</p>
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
            <summary>The same in figures</summary>
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
