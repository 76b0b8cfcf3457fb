import { balanceDay, isBalanced } from '../../../reconcile/balance-day.ts';
import type { DayReport } from '../../../reconcile/outputs/day-report.ts';
import { Notice, Section } from '../../parts/blocks.tsx';
import { OutcomeBar } from '../../parts/outcome-bar.tsx';
import { Sum } from '../../parts/sum.tsx';
import { Count } from '../../parts/words.tsx';
import type { Front } from './read-front.ts';

/** Shows each account's day, and whether it balances. */
export function Today({ front }: { front: Front }) {
  return (
    <Section title="Today by account" live="today" actions={<a href="/report">Day report</a>}>
      <div class="columns">
        {front.today.map((report) => (
          <div key={report.account} class="group">
            <h3>
              <a href={`/accounts/${report.account}`}>{report.account}</a>
            </h3>
            <AccountDay report={report} currency={front.currencyOf(report.account)} />
          </div>
        ))}
      </div>
    </Section>
  );
}

/** Shows an account's outcomes today, what was accepted, what is open, and whether it balances. */
export function AccountDay({ report, currency }: { report: DayReport; currency: string | undefined }) {
  const { account, day, accepted, broughtForward, open, final } = report;
  return (
    <>
      <OutcomeBar totals={final} label={`Outcomes of ${account} on ${day}`} currency={currency} />
      <p>
        Accepted: <Count of={accepted.files} noun="file" />, <Sum of={accepted} currency={currency} />. Brought forward:{' '}
        <Sum of={broughtForward} currency={currency} />. Still open: <Sum of={open} currency={currency} />.
      </p>
      <Balance report={report} currency={currency} />
    </>
  );
}

function Balance({ report, currency }: { report: DayReport; currency: string | undefined }) {
  const link = <a href={`/report?account=${report.account}&day=${report.day}`}>See the day</a>;
  if (isBalanced(report)) return <p>The day balances. {link}</p>;
  return (
    <Notice kind="bad" title="The day does not balance">
      <p>
        Difference: <Sum of={balanceDay(report)} currency={currency} />. {link}
      </p>
    </Notice>
  );
}
