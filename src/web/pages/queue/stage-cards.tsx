import { scaleLinear } from 'd3-scale';
import type { ComponentChildren } from 'preact';
import type { QueueState } from '../../../explain/read-queue.ts';
import type { ScheduleLine } from '../../../explain/read-schedules.ts';
import { type Depth, type Flow, STAGES, type StageName } from '../../../ledger/overview/read-stages.ts';
import { Table } from '../../parts/blocks.tsx';
import { FEW_POINTS } from '../../parts/charts.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Count, Moment, Money, Since } from '../../parts/words.tsx';
import { sayDuration } from '../../parts/when.ts';
import { pathOfCause, type View } from './lists.tsx';

const MINUTE_MS = 60_000;

/**
 * How each stage is shown: its name, what is counted in it, the list behind it, what leaving it is called, and the age
 * of the oldest, in minutes, from which it is late and very late.
 */
const CARDS: Readonly<Record<StageName, { title: string; noun: string; list: string; lateAfter: [number, number] }>> = {
  checking: { title: 'Checking', noun: 'file', list: 'waiting', lateAfter: [2, 10] },
  approval: { title: 'Approval', noun: 'decision', list: 'needs', lateAfter: [240, 1_440] },
  to_send: { title: 'To send', noun: 'batch', list: 'waiting', lateAfter: [5, 30] },
  at_service: { title: 'At the service', noun: 'batch', list: 'waiting', lateAfter: [30, 120] },
  reconciling: { title: 'Reconciling', noun: 'batch', list: 'waiting', lateAfter: [1, 5] },
  delivering: { title: 'Delivering', noun: 'file', list: 'waiting', lateAfter: [1, 10] },
};

type Flows = Readonly<Record<StageName, Flow>>;

type Cards = {
  readonly view: View;
  readonly now: Date;
  readonly state: Pick<QueueState, 'stages' | 'blocked' | 'needs'>;
  readonly flows: Flows;
  readonly schedules: readonly ScheduleLine[];
};

/** Shows where everything is: each stage with its depth, money, rate, the age of the oldest and its last day. */
export function StageCards({ view, now, state, flows, schedules }: Cards) {
  return (
    <>
      <ul class="stages" data-part="stages">
        {STAGES.map((stage) => (
          <StageCard key={stage} {...{ stage, view, now, state }} flow={flows[stage]} />
        ))}
        <ScheduleCard schedules={schedules} needs={state.needs} />
      </ul>
      <details class="flow">
        <summary>What left each stage, by the hour</summary>
        <div data-part="flow">
          <p class="hint">Of all accounts, in the last 24 hours.</p>
          <FlowTable flows={flows} />
        </div>
      </details>
    </>
  );
}

function StageCard({
  stage,
  view,
  now,
  state,
  flow,
}: Omit<Cards, 'flows' | 'schedules'> & { stage: StageName; flow: Flow }) {
  const { title, noun, list } = CARDS[stage];
  const own = state.stages.filter((depth) => depth.stage === stage);
  const blocked = stage === 'to_send' ? state.blocked : [];
  const count = own.reduce((sum, { things }) => sum + things, 0);
  return (
    <li class="card stage">
      <h2>
        <a href={`/queue?list=${blocked.length > 0 ? 'blocked' : list}`}>{title}</a>
      </h2>
      <p class="depth">
        <Count of={count} noun={noun} />
      </p>
      {own.length > 0 && <Amounts depths={own} view={view} />}
      {blocked.map(({ account, causes: [cause] }) => (
        <p key={account} class="blocked">
          <Icon name="lock-closed" />
          <span>
            Nothing is sent for {account}: <a href={pathOfCause(cause)}>{cause.says}</a>
          </span>
        </p>
      ))}
      <Age {...{ stage, own, now }} isBlocked={blocked.length > 0} />
      <p>{sayRate(flow.perMinute)} a minute</p>
      <Sparkline values={flow.hours} label={`What left ${title.toLowerCase()} in the last 24 hours, by the hour`} />
    </li>
  );
}

const [WIDTH, HEIGHT] = [240, 24];

/** Draws what left in each hour, with the most of an hour at the axis. The table below the cards has the same. */
function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.filter((value) => value > 0).length < FEW_POINTS) return null;
  const most = Math.max(...values);
  const x = scaleLinear([0, values.length - 1], [1, WIDTH - 1]);
  const y = scaleLinear([0, most], [HEIGHT - 1, 1]);
  const points = values.map((value, hour) => `${Math.round(x(hour))},${Math.round(y(value))}`);
  return (
    <>
      <svg
        class="sparkline"
        role="img"
        aria-label={label}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <title>{`${label}: at most ${most}`}</title>
        <path class="day-line" d={`M${points.join('L')}`} />
      </svg>
      <div class="axis" aria-hidden="true">
        <span>24 h ago</span>
        <span>at most {most} an hour</span>
        <span>now</span>
      </div>
    </>
  );
}

/** Says a rate with one digit behind the point at most. */
function sayRate(perMinute: number): string {
  return String(Math.round(perMinute * 10) / 10);
}

/** Sums rows, and money by its currency. */
function Amounts({ depths, view }: { depths: readonly Depth[]; view: View }) {
  const currencies = new Map<string | undefined, number>();
  for (const { account, cents } of depths) {
    const currency = view.currencyOf(account);
    currencies.set(currency, (currencies.get(currency) ?? 0) + cents);
  }
  return (
    <p>
      <Count of={depths.reduce((sum, { rows }) => sum + rows, 0)} noun="payment" />
      {[...currencies].map(
        ([currency, cents]): ComponentChildren => (
          <span key={currency ?? ''}>
            , <Money cents={cents} currency={currency} />
          </span>
        ),
      )}
    </p>
  );
}

/** Says since when the oldest waits, and whether that is long. What is blocked waits for its cause, however long. */
function Age({
  stage,
  own,
  now,
  isBlocked,
}: {
  stage: StageName;
  own: readonly Depth[];
  now: Date;
  isBlocked: boolean;
}) {
  if (own.length === 0) return null;
  const since = new Date(Math.min(...own.map(({ oldestAt }) => oldestAt.getTime())));
  const ageMs = Math.max(0, now.getTime() - since.getTime());
  const [late, veryLate] = CARDS[stage].lateAfter.map((minutes) => minutes * MINUTE_MS) as [number, number];
  const tone = isBlocked || ageMs < late ? 'quiet' : ageMs < veryLate ? 'warn' : 'bad';
  return (
    <p>
      <span class={`state ${tone}`}>
        <span>
          oldest <Since at={since}>{sayDuration(ageMs)}</Since>
          {tone === 'warn' && ', late'}
          {tone === 'bad' && ', very late'}
        </span>
      </span>
    </p>
  );
}

function ScheduleCard({ schedules, needs }: { schedules: readonly ScheduleLine[] } & Pick<QueueState, 'needs'>) {
  const failed = needs.filter(({ kind }) => kind === 'failed').length;
  const [next] = schedules
    .flatMap(({ nextAt, timeZone }) => (nextAt ? [{ nextAt, timeZone }] : []))
    .toSorted((one, other) => one.nextAt.getTime() - other.nextAt.getTime());
  return (
    <li class="card stage">
      <h2>
        <a href="/schedules">Schedules</a>
      </h2>
      <p class="depth">{schedules.length === 0 ? 'None' : <Count of={schedules.length} noun="schedule" />}</p>
      {next && (
        <p>
          Next: <Moment at={next.nextAt} timeZone={next.timeZone} />
        </p>
      )}
      {failed > 0 && (
        <p>
          <span class="state bad">
            <Count of={failed} noun="failed run" />
          </span>
        </p>
      )}
    </li>
  );
}

function FlowTable({ flows }: { flows: Flows }) {
  const hours = flows.checking.hours.map((_, index) => index).toReversed();
  return (
    <Table
      label="What left each stage, by the hour"
      rows={hours.filter((hour) => STAGES.some((stage) => flows[stage].hours[hour]! > 0))}
      empty="Nothing moved in the last 24 hours."
      columns={[
        { title: 'Hours ago', cell: (hour) => String(flows.checking.hours.length - 1 - hour) },
        ...STAGES.map((stage) => ({
          title: CARDS[stage].title,
          cell: (hour: number) => <Count of={flows[stage].hours[hour]!} />,
          isFigure: true,
        })),
      ]}
    />
  );
}
