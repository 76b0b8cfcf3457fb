import type { FastifyInstance } from 'fastify';
import { addDays } from '../../calendar/calendar.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { actorOf, viewerMay } from '../access/viewer.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice, Section, Table } from '../parts/blocks.tsx';
import { Page } from '../parts/page.tsx';
import { SeenDrops } from '../parts/seen-drops.tsx';
import { sendPage } from '../send-page.ts';
import { Month, OpenByAge } from './front/month.tsx';
import { NeedsTable, type View } from './queue/lists.tsx';
import { type Front, openDays, readFront } from './front/read-front.ts';
import { balanceDay, isBalanced } from '../../reconcile/balance-day.ts';
import { isSilence } from '../../../workers/upkeep/alarms/obstacles.ts';
import type { DayReport } from '../../reconcile/outputs/day-report.ts';
import { OutcomeBar } from '../parts/charts.tsx';
import { Sum, Count, Moment, StateBadge } from '../parts/words.tsx';
import { sayAmount } from '../../reconcile/say-withheld.ts';

/** Serves `/`: what needs a person, worst first, and what is going on. */
export function frontPage(server: FastifyInstance, context: WebContext): void {
  const days = openDays(context.app.ledger, context.app.settings);
  server.get('/', async (request, reply) => {
    const viewer = viewerOf(request);
    const front = await readFront(context, days, { actor: actorOf(viewer), account: viewer.shell?.account });
    const yesterday = addDays(dayInZone(context.app.clock.now(), front.zone), -1);
    return sendPage(
      reply,
      <Page title="Today" viewer={viewer} path="/" only="" isLive>
        <div data-part="first">{!front.isUsed && <FirstStep mayDrop={viewerMay(viewer, 'drop')} />}</div>
        <AttentionList front={front} viewer={viewer} />
        <Withheld front={front} />
        <Today front={front} />
        <SeenDrops seen={front.seen} />
        <OnTheirWay front={front} />
        <Month days={front.month} account={front.account} />
        <Next front={front} />
        <p>
          <a href={`/audit?who=operator:&from=${yesterday}`}>Who did what since yesterday</a>
        </p>
      </Page>,
    );
  });
}

function FirstStep({ mayDrop }: { mayDrop: boolean }) {
  return (
    <Notice kind="info" title="No file has arrived yet">
      <p>
        {mayDrop ? 'Start here: ' : 'Check whether a file is right: '}
        <a href="/drop">{mayDrop ? 'upload a first file' : 'check a file'}</a>. Files that are put into the drop folders
        are taken too, and appear here a moment later.
      </p>
    </Notice>
  );
}

/** Things that are shown here; the queue shows all. */
const SHOWN_NEEDS = 5;

/** Shows the worst of what needs a person: paydrop's own trouble, then the first lines of the queue's list. */
export function AttentionList({ front, viewer }: { front: Front; viewer: View['viewer'] }) {
  const { needs, zoneOf, currencyOf } = front;
  return (
    <Section title="Needs attention" live="needs" actions={<a href="/queue">Queue</a>}>
      <Trouble front={front} />
      {needs.length > 0 && <NeedsTable view={{ viewer, zoneOf, currencyOf }} rows={needs.slice(0, SHOWN_NEEDS)} />}
      {needs.length > SHOWN_NEEDS && (
        <p>
          <a href="/queue">
            See all <Count of={needs.length} noun="thing" />
          </a>
        </p>
      )}
      {isCalm(front) && (
        <Notice kind="good" title="Nothing needs attention">
          <p>
            Nothing is in doubt, nothing needs approval and nothing is late. paydrop, its ledger, its queue and its send
            journal are working.
          </p>
        </Notice>
      )}
    </Section>
  );
}

function isCalm({ needs, obstacles, unready, unreached, today }: Front): boolean {
  return [needs, obstacles, unready, unreached].every((list) => list.length === 0) && today.every(isBalanced);
}

function Trouble({ front: { unready, unreached, today, obstacles } }: { front: Front }) {
  const silent = obstacles.filter(isSilence);
  const failing = obstacles.filter((one) => !isSilence(one));
  return (
    <>
      {unready.length > 0 && (
        <Notice kind="bad" title="paydrop is not working">
          <ul>
            {unready.map(({ part, why }) => (
              <li key={part}>
                {part}: {why}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {today
        .filter((report) => !isBalanced(report))
        .map(({ account, day }) => (
          <Notice key={account} kind="bad" title={`The day of account ${account} does not balance`}>
            <p>
              Rows or money were lost or added, or the ledger was changed by hand.{' '}
              <a href={`/report?account=${account}&day=${day}`}>See the day</a>
            </p>
          </Notice>
        ))}
      {unreached.map(({ account }) => (
        <Notice key={account} kind="bad" title={`The service cannot be reached for account ${account}`}>
          <p>Batches repeatedly go back unsent. Nothing is lost; paydrop keeps retrying.</p>
        </Notice>
      ))}
      {silent.length > 0 && (
        <Notice kind="bad" title="No process does this work">
          <ul>
            {silent.map(({ key, what, why, next }) => (
              <li key={key}>
                {what}: {why}. {next}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {failing.length > 0 && (
        <Notice kind="warn" title="Not making progress">
          <ul>
            {failing.slice(0, SHOWN_NEEDS).map(({ key, what, why }) => (
              <li key={key + what}>
                {what}: {why}
              </li>
            ))}
          </ul>
          <p>
            paydrop retries these automatically. <a href="/queue?list=failed">See what helps</a>
          </p>
        </Notice>
      )}
    </>
  );
}

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

const SHOWN = 20;

/** Shows the files in progress, the oldest first, without those that the viewer has to approve. */
export function OnTheirWay({ front }: { front: Front }) {
  const needed = new Set(front.needs.flatMap(({ kind, fileId }) => (kind === 'needs_approval' ? [fileId] : [])));
  const moving = front.open.filter(({ file_id: fileId }) => !needed.has(fileId));
  return (
    <Section title="In progress" live="moving" actions={<a href="/files">All files</a>}>
      <Table
        label="Files in progress"
        rows={moving.slice(0, SHOWN)}
        empty="Nothing is in progress. A dropped file is listed here until every row has an outcome."
        columns={[
          { title: 'File', place: 'name', cell: (file) => <a href={`/files/${file.file_id}`}>{file.name}</a> },
          { title: 'Account', cell: ({ account }) => <a href={`/accounts/${account}`}>{account}</a> },
          { title: 'State', place: 'of-state', cell: (file) => <StateBadge of={file} /> },
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
      <OpenByAge ages={front.ages} currencyOf={front.currencyOf} />
    </Section>
  );
}

/** Shows what happens next on its own, and what expires soon. */
export function Next({ front }: { front: Front }) {
  return (
    <Section title="Coming up" live="next" actions={<a href="/schedules">Schedules</a>}>
      <Table
        label="Next runs and windows"
        rows={front.coming}
        empty="No schedule, window or expected file is set up: every file is taken and sent as soon as it is complete."
        columns={[
          { title: 'What', place: 'name', cell: ({ what }) => what },
          {
            title: 'When',
            cell: ({ at, timeZone }) => (at ? <Moment at={at} timeZone={timeZone} isWindow /> : 'never'),
          },
        ]}
      />
      {front.expiring.length > 0 && (
        <>
          <h3>Expires within 30 days</h3>
          <Table
            label="What expires"
            rows={front.expiring}
            empty=""
            columns={[
              {
                title: 'What',
                place: 'name',
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

/** Shows rows that had faults and were not sent. Only a person knows whether they came back in another file. */
export function Withheld({ front }: { front: Front }) {
  if (front.withheld.length === 0) return <div data-part="withheld" />;
  return (
    <Section title="Not paid" live="withheld">
      <p class="hint">
        Files with rows withheld in the last 7 days. These rows have faults and were not sent; the other rows of their
        files were. Correct them in the rejects file and drop that file.
      </p>
      <Table
        label="Files with rows withheld in the last 7 days"
        rows={front.withheld.slice(0, SHOWN)}
        empty=""
        columns={[
          { title: 'File', place: 'name', cell: ({ fileId, name }) => <a href={`/files/${fileId}`}>{name}</a> },
          { title: 'Account', cell: ({ account }) => <a href={`/accounts/${account}`}>{account}</a> },
          { title: 'Rows', cell: ({ rows }) => <Count of={rows} />, isFigure: true },
          { title: 'Money', place: 'amount', cell: sayAmount, isFigure: true },
          {
            title: 'Taken',
            cell: ({ claimedAt, account }) => <Moment at={claimedAt} timeZone={front.zoneOf(account)} />,
          },
        ]}
      />
      {front.withheld.length > SHOWN && <p class="soft">The first {SHOWN} are shown.</p>}
    </Section>
  );
}
