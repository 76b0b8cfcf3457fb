import { scaleBand, scaleLinear, type ScaleBand } from 'd3-scale';
import { line } from 'd3-shape';

/** A day of a chart. */
export type DayPoint = {
  /** `2026-06-15` */
  readonly day: string;
  /** The height; null when the day has no value. */
  readonly value: number | null;
  /** The same in words. */
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
