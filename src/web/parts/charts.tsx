import { scaleBand, scaleLinear, type ScaleBand } from 'd3-scale';
import { line } from 'd3-shape';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import type { OutcomeTotals, Totals } from '../../rows/rows.ts';
import { Count, Money } from './words.tsx';

/** A day of a chart. */
export type DayPoint = {
  /** `2026-06-15` */
  readonly day: string;
  readonly value: number | null;
  readonly says: string;
};

/** The drawing stretches to the page width; its text is outside the drawing and keeps its size. */
const WIDTH = 600;
const HEIGHT = 100;

/**
 * Draws one figure over some days. A table on the same page must show the same for users who cannot see it.
 * @param shape bars for amounts that add up, a line for a share
 */
export function DayChart({
  label,
  points,
  shape,
}: {
  label: string;
  points: readonly DayPoint[];
  shape: 'bars' | 'line';
}) {
  const [first, last] = [points[0], points.at(-1)];
  const highest = highestOf(points);
  if (!first || !last || !highest) return null;
  return (
    <figure class="chart">
      <figcaption>
        <strong>{label}</strong>{' '}
        <span class="soft">
          highest {highest.says} on {highest.day}
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${label} from ${first.day} to ${last.day}: highest ${highest.says} on ${highest.day}, last ${last.says}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {shape === 'bars' ? <Bars points={points} /> : <Line points={points} />}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>{first.day}</span>
        <span>{last.day}</span>
      </div>
    </figure>
  );
}

function highestOf(points: readonly DayPoint[]): DayPoint | undefined {
  const known = points.filter(({ value }) => value !== null);
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
      {points.map((point) => {
        const [top, foot] = [y(Math.max(point.value ?? 0, 0)), y(Math.min(point.value ?? 0, 0))];
        return (
          <rect
            key={point.day}
            class="day"
            x={round(x(point.day) ?? 0)}
            width={round(x.bandwidth())}
            y={round(top)}
            height={round(foot - top)}
          >
            <title>{`${point.day}: ${point.says}`}</title>
          </rect>
        );
      })}
    </>
  );
}

function Line({ points }: { points: readonly DayPoint[] }) {
  const [x, y] = [acrossDays(points), upTo(points)];
  // Days without a value leave a gap, because a line through them would show false values.
  const draw = line<DayPoint>()
    .defined(({ value }) => value !== null)
    .x(({ day }) => round((x(day) ?? 0) + x.bandwidth() / 2))
    .y(({ value }) => round(y(value ?? 0)));
  return <path class="day-line" d={draw([...points]) ?? ''} />;
}

function acrossDays(points: readonly DayPoint[]): ScaleBand<string> {
  return scaleBand(
    points.map(({ day }) => day),
    [0, WIDTH],
  ).paddingInner(0.2);
}

/** Returns a scale that includes zero, so that heights are proportional. Refunds go below. */
function upTo(points: readonly DayPoint[]): (value: number) => number {
  const values = points.map(({ value }) => value ?? 0);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  return scaleLinear([low, low === high ? 1 : high], [HEIGHT - 1, 1]);
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
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={`fill ${look}`} width={10} height={10} />
            </svg>{' '}
            {word} <Count of={rows} /> <span class="soft">· </span>
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
        look: LOOKS[outcome] ?? 'other',
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

/** Below so many points with a value, a line says nothing. */
const FEW_POINTS = 3;

/** Draws a small line without an axis; the same page shows its values in a table. Draws nothing of too few points. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.filter((value) => value > 0).length < FEW_POINTS) return null;
  const x = scaleLinear([0, values.length - 1], [1, WIDTH - 1]);
  const y = scaleLinear([0, Math.max(...values)], [HEIGHT - 1, 1]);
  const draw = line<number>()
    .x((_, index) => round(x(index)))
    .y((value) => round(y(value)));
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
      <path class="day-line" d={draw([...values]) ?? ''} />
    </svg>
  );
}
