import { Section, Table } from '../../parts/blocks.tsx';
import type { Outcome } from '../../../../schemas/lifecycle.ts';
import { SHOWN_OUTCOMES } from '../../../../schemas/shown.ts';
import { DayChart, type DayPoint, lookOf, OutcomeLegend } from '../../parts/charts.tsx';
import { sayDuration } from '../../parts/when.ts';
import { AGES, type OpenAge } from '../../../ledger/overview/overview.ts';
import { type Front, MONTH_DAYS, type MonthDay } from './read-front.ts';
import { groupDigits, groupedCount } from '../../../kernel/counted.ts';
import { Count, Money } from '../../parts/words.tsx';
import { formatCents } from '../../../kernel/money.ts';
import { sayAmount } from '../../../reconcile/say-withheld.ts';

/**
 * Shows what ended on each of the last days: rows, money by outcome, the declined share, and the wait for a result.
 * @param account to which the days are limited, if to one
 */
export function Month({ days, account }: { days: readonly MonthDay[]; account?: string | undefined }) {
  const currencies = [
    ...new Set(days.flatMap(({ cents, withheld }) => [...Object.keys(cents), ...Object.keys(withheld)])),
  ].sort();
  return (
    <Section title={`Last ${MONTH_DAYS} days${account === undefined ? '' : `, ${account}`}`} live="month">
      {currencies.length === 0 ? (
        <p class="empty">Once the service has returned results, their rows and money are shown here by day.</p>
      ) : (
        <>
          <p class="hint">
            Payments by the day of their result, with their first outcome{account && `, of account ${account} alone`}.
          </p>
          <div class="columns">
            <DayChart label="Rows a day" shape="bars" points={days.map(rowsOf)} sayValue={sayRows} hasUsual />
            {currencies.map((currency) => (
              <DayChart
                key={currency}
                label={`Money a day, ${currency}`}
                shape="bars"
                points={days.map((day) => moneyOf(day, currency))}
                sayValue={sayCents}
                hasUsual
              />
            ))}
            <DayChart label="Declined rows" shape="line" points={days.map(declinedOf)} sayValue={sayShare} />
            <DayChart
              label="From sent to result"
              shape="bars"
              points={days.map(waitOf)}
              sayValue={(seconds) => sayDuration(seconds * 1_000)}
            />
          </div>
          <OutcomeLegend outcomes={outcomesOf(days)} />
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
                ...(days.some(({ waits }) => waits)
                  ? [{ title: 'From sent to result', cell: (day: MonthDay) => waitOf(day).says, isFigure: true }]
                  : []),
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
  return { day, value: rows, says: sayRows(rows) };
}

function sayRows(rows: number): string {
  return groupDigits(String(Math.round(rows)));
}

function sayCents(cents: number): string {
  return groupDigits(formatCents(Math.round(cents)));
}

function moneyOf({ day, cents, outcomes }: MonthDay, currency: string): DayPoint {
  const value = cents[currency] ?? 0;
  const parts = (Object.entries(outcomes[currency] ?? {}) as [Outcome, number][]).map(([outcome, part]) => ({
    look: lookOf(outcome),
    value: part,
    says: `${SHOWN_OUTCOMES[outcome].word} ${sayCents(part)} of ${sayCents(value)} ${currency}`,
  }));
  return { day, value, says: `${sayCents(value)} ${currency}`, parts };
}

function outcomesOf(days: readonly MonthDay[]): Outcome[] {
  const found = days.flatMap(({ outcomes }) => Object.values(outcomes).flatMap((parts) => Object.keys(parts)));
  return (Object.keys(SHOWN_OUTCOMES) as Outcome[]).filter((outcome) => found.includes(outcome));
}

/** Half of the results came within the lower part of the bar, 95 % within the whole of it. */
function waitOf({ day, waits }: MonthDay): DayPoint {
  if (!waits) return { day, value: null, says: 'none' };
  const [half, most] = waits;
  const says = `half in ${sayDuration(half * 1_000)}, 95 % in ${sayDuration(most * 1_000)}`;
  const parts = [
    { look: 'approved', value: half, says },
    { look: 'pending', value: most - half, says },
  ];
  return { day, value: most, says, parts };
}

/** Returns the declined share: none, not zero, for a day without rows. */
function declinedOf(day: MonthDay): DayPoint {
  return {
    day: day.day,
    value: day.rows === 0 ? null : day.declined / day.rows,
    says: `${percentOf(day)} of ${sayRows(day.rows)}`,
  };
}

/** Lists withheld rows by the day on which their files were accepted. */
function withheldOf({ withheld }: MonthDay): string {
  const said = Object.entries(withheld).map(
    ([currency, sum]) => `${groupedCount(sum.rows, 'row')}: ${sayAmount(sum)} ${currency}`,
  );
  return said.join('; ') || 'none';
}

function percentOf({ rows, declined }: MonthDay): string {
  return rows === 0 ? 'none' : sayShare(declined / rows);
}

function sayShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Shows open money by the time since its file was accepted, in each currency. */
export function OpenByAge({ ages, currencyOf }: { ages: readonly OpenAge[]; currencyOf: Front['currencyOf'] }) {
  const currencies = [...new Set(ages.map(({ account }) => currencyOf(account) ?? ''))].sort();
  if (currencies.length === 0) return null;
  const sums = AGES.map((age) => ({ age, own: ages.filter((one) => one.age === age) }));
  const centsOf = (own: readonly OpenAge[], currency: string) =>
    own.reduce((sum, { account, cents }) => sum + ((currencyOf(account) ?? '') === currency ? cents : 0), 0);
  return (
    <>
      <div class="columns">
        {currencies.map((currency) => (
          <DayChart
            key={currency}
            label={`Open money by age, ${currency}`}
            shape="bars"
            points={sums.map(({ age, own }) => {
              const value = centsOf(own, currency);
              return { day: age, value, says: `${sayCents(value)} ${currency}` };
            })}
            sayValue={sayCents}
          />
        ))}
      </div>
      <details>
        <summary>Open money by age, as a table</summary>
        <Table
          label="Open money by age"
          rows={sums}
          empty=""
          columns={[
            { title: 'Since it was accepted', cell: ({ age }) => age },
            {
              title: 'Rows',
              cell: ({ own }) => <Count of={own.reduce((sum, { rows }) => sum + rows, 0)} />,
              isFigure: true,
            },
            ...currencies.map((currency) => ({
              title: `Money, ${currency}`,
              cell: ({ own }: (typeof sums)[number]) => <Money cents={centsOf(own, currency)} />,
              isFigure: true,
            })),
          ]}
        />
      </details>
    </>
  );
}
