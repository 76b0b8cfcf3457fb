import { scaleBand, scaleLinear, type ScaleBand } from 'd3-scale';
import { line } from 'd3-shape';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { SHOWN_OUTCOMES } from '../../../schemas/shown.ts';
import type { OutcomeTotals, Totals } from '../../rows/rows.ts';
import { Count, Money } from './words.tsx';

/** A day, or another step, of a chart. */
export type DayPoint = {
  /** `2026-06-15` */
  readonly day: string;
  readonly value: number | null;
  readonly says: string;
  /** What the value is made of, in the order of the bar from zero. */
  readonly parts?: readonly { readonly look: string; readonly value: number; readonly says: string }[];
};

/** The drawing stretches to the page width; its text is outside the drawing and keeps its size. */
const WIDTH = 600;
const HEIGHT = 100;

/** Below so many points with a value, a chart says nothing. */
export const FEW_POINTS = 3;

type ChartProps = {
  readonly label: string;
  readonly points: readonly DayPoint[];
  readonly shape: 'bars' | 'line';
  /** Writes a value at the axis. */
  readonly sayValue: (value: number) => string;
  /** Adds a line at the median of the days with a value. */
  readonly hasUsual?: boolean;
};

/**
 * Draws one figure over some days, each mark with its text on hover. A table on the same page must show the same for
 * users who cannot see it. Says so where too few days have a value.
 * @param shape bars for amounts that add up, a line for a share
 */
export function DayChart({ label, points, shape, sayValue, hasUsual = false }: ChartProps) {
  // A share of zero is a figure, a day without money is none.
  const known = points.filter(({ value }) => value !== null && (shape === 'line' || value !== 0));
  const [first, last, highest] = [points[0], points.at(-1), highestOf(known)];
  if (!first || !last || !highest) return null;
  if (known.length < FEW_POINTS)
    return <p class="empty">{`${label}: too few figures for a chart; the table has them.`}</p>;
  const usual = hasUsual ? medianOf(known.map(({ value }) => value ?? 0)) : undefined;
  const [low, high] = boundsOf(points);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{label}</strong>{' '}
        <span class="soft">
          highest {highest.says} on {highest.day}
          {usual !== undefined && `, usual ${sayValue(usual)}`}
        </span>
      </figcaption>
      <div class="plot">
        <div class="axis up" aria-hidden="true">
          <span>{sayValue(high)}</span>
          <span>{sayValue(low)}</span>
        </div>
        <svg
          role="img"
          aria-label={`${label} from ${first.day} to ${last.day}: highest ${highest.says} on ${highest.day}, last ${last.says}`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          {shape === 'bars' ? <Bars points={points} /> : <Line points={points} />}
          {usual !== undefined && (
            <path class="usual" d={`M0,${round(upTo(points)(usual))}H${WIDTH}`}>
              <title>{`usual: ${sayValue(usual)}`}</title>
            </path>
          )}
        </svg>
        <div class="axis" aria-hidden="true">
          {labelsOf(points).map((day) => (
            <span key={day}>{day}</span>
          ))}
        </div>
      </div>
    </figure>
  );
}

/** Returns the days to name below the chart: the ends of many, all of few. */
function labelsOf(points: readonly DayPoint[]): string[] {
  const all = points.map(({ day }) => day);
  return all.length <= 5 ? all : [all[0]!, all[Math.floor(all.length / 2)]!, all.at(-1)!];
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

function highestOf(known: readonly DayPoint[]): DayPoint | undefined {
  const size = ({ value }: DayPoint) => Math.abs(value ?? 0);
  return known.reduce<DayPoint | undefined>(
    (best, point) => (best && size(best) >= size(point) ? best : point),
    undefined,
  );
}

function Bars({ points }: { points: readonly DayPoint[] }) {
  const [x, y] = [acrossDays(points), upTo(points)];
  return (
    <>
      {points.flatMap((point) =>
        stackOf(point).map(({ look, from, until, says }) => (
          <rect
            key={point.day + look}
            class={look}
            x={round(x(point.day) ?? 0)}
            width={round(x.bandwidth())}
            y={round(y(Math.max(from, until)))}
            height={round(Math.abs(y(from) - y(until)))}
          >
            <title>{`${point.day}: ${says}`}</title>
          </rect>
        )),
      )}
    </>
  );
}

type Segment = { readonly look: string; readonly from: number; readonly until: number; readonly says: string };

/** Puts the parts of a value on each other, what went back below zero. */
function stackOf({ value, says, parts }: DayPoint): Segment[] {
  if (!parts) return [{ look: 'day', from: 0, until: value ?? 0, says }];
  const ends = { up: 0, down: 0 };
  return parts.map((part) => {
    const way = part.value < 0 ? 'down' : 'up';
    const from = ends[way];
    ends[way] += part.value;
    return { look: `fill ${part.look}`, from, until: ends[way], says: part.says };
  });
}

function Line({ points }: { points: readonly DayPoint[] }) {
  const [x, y] = [acrossDays(points), upTo(points)];
  const across = ({ day }: DayPoint) => round((x(day) ?? 0) + x.bandwidth() / 2);
  const up = ({ value }: DayPoint) => round(y(value ?? 0));
  // Days without a value leave a gap, because a line through them would show false values.
  const draw = line<DayPoint>()
    .defined(({ value }) => value !== null)
    .x(across)
    .y(up);
  return (
    <>
      <path class="day-line" d={draw([...points]) ?? ''} />
      {points
        .filter(({ value }) => value !== null)
        .map((point) => (
          <path key={point.day} class="day-dot" d={`M${across(point)},${up(point)}h0`}>
            <title>{`${point.day}: ${point.says}`}</title>
          </path>
        ))}
    </>
  );
}

function acrossDays(points: readonly DayPoint[]): ScaleBand<string> {
  return scaleBand(
    points.map(({ day }) => day),
    [0, WIDTH],
  ).paddingInner(0.2);
}

/** Returns a scale that includes zero, so that heights are proportional. Refunds go below. */
function upTo(points: readonly DayPoint[]): (value: number) => number {
  const [low, high] = boundsOf(points);
  return scaleLinear([low, low === high ? 1 : high], [HEIGHT - 1, 1]);
}

function boundsOf(points: readonly DayPoint[]): [low: number, high: number] {
  const values = points.flatMap((point) => stackOf(point).map(({ until }) => until));
  return [Math.min(0, ...values), Math.max(0, ...values)];
}

function round(length: number): number {
  return Math.round(length * 100) / 100;
}

/** Fill of each outcome. Some share one; the list below the bar tells them apart. */
const LOOKS: Partial<Record<Outcome, string>> = {
  approved: 'approved',
  accepted_pending: 'pending',
  declined: 'declined',
  unknown: 'unknown',
};

/** Returns the fill of an outcome. */
export function lookOf(outcome: Outcome): string {
  return LOOKS[outcome] ?? 'other';
}

/** Names the fills of these outcomes. */
export function OutcomeLegend({ outcomes }: { outcomes: readonly Outcome[] }) {
  return (
    <ul class="legend">
      {outcomes.map((outcome) => (
        <li key={outcome}>
          <Swatch look={lookOf(outcome)} /> {SHOWN_OUTCOMES[outcome].word}
        </li>
      ))}
    </ul>
  );
}

function Swatch({ look }: { look: string }) {
  return (
    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect class={`fill ${look}`} width={10} height={10} />
    </svg>
  );
}

/** The bar stretches to the page width, so this only sets its resolution. */
const BAR_WIDTH = 1_000;
const BAR_HEIGHT = 16;

/**
 * Shows rows as one bar divided by outcome; below it, each outcome with its rows and money.
 * @param label what the bar shows, for users who cannot see it
 * @param currency of the money, if known
 */
export function OutcomeBar({
  totals,
  label,
  currency,
}: {
  totals: OutcomeTotals;
  label: string;
  currency?: string | undefined;
}) {
  const parts = partsOf(totals);
  const all = parts.reduce((sum, { rows }) => sum + rows, 0);
  if (all === 0) return <p class="empty">No outcomes yet.</p>;
  const said = parts.map(({ word, rows }) => `${word} ${rows}`).join(', ');
  return (
    <div class="outcomes">
      <svg
        class="bar"
        role="img"
        aria-label={`${label}: ${said} rows`}
        viewBox={`0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`}
        preserveAspectRatio="none"
      >
        {segmentsOf(parts, all).map(({ part, x, width }) => (
          <rect key={part.outcome} class={`fill ${part.look}`} x={x} width={width} y={0} height={BAR_HEIGHT}>
            <title>{`${part.word}, rows: ${part.rows}`}</title>
          </rect>
        ))}
      </svg>
      <ul class="legend">
        {parts.map(({ outcome, word, look, rows, cents }) => (
          <li key={outcome}>
            <Swatch look={look} /> {word} <Count of={rows} /> <span class="soft">· </span>
            <Money cents={cents} currency={currency} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Part = Totals & { outcome: Outcome; word: string; look: string };

/** Returns the parts in the order of the table, so that two bars can be compared. */
function partsOf(totals: OutcomeTotals): Part[] {
  return (Object.keys(OUTCOMES) as Outcome[]).flatMap((outcome) => {
    const found = totals[outcome];
    if (!found || found.rows === 0) return [];
    return [
      {
        outcome,
        word: outcome === 'accepted_pending' ? 'pending' : outcome.replaceAll('_', ' '),
        look: lookOf(outcome),
        rows: found.rows,
        cents: found.cents,
      },
    ];
  });
}

function segmentsOf(parts: readonly Part[], all: number): { part: Part; x: number; width: number }[] {
  const scale = scaleLinear([0, all], [0, BAR_WIDTH]);
  let before = 0;
  return parts.map((part) => {
    const x = scale(before);
    before += part.rows;
    return { part, x: round(x), width: round(scale(before) - x) };
  });
}
