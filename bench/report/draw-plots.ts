import { scaleBand, scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { medianOf } from '../measure/statistics.ts';
import type { BenchRun, Measurement } from '../measure/record.ts';
import { count } from './markdown.ts';

/** Draws the pictures of docs/performance.md, keyed by file name. */
export function drawPlots({ measurements }: BenchRun): Record<string, string> {
  return {
    'checking.svg': drawChecking(measurements),
    'drop-to-result.svg': plotLines({
      title: 'Seconds from drop to result',
      x: 'rows of the file',
      y: 'seconds',
      series: drawSeries(measurements, 'seconds'),
    }),
    'memory.svg': plotLines({
      title: 'Memory from drop to result',
      x: 'rows of the file',
      y: 'MB, all processes but those of PostgreSQL',
      series: drawSeries(measurements, 'peakMb'),
    }),
  };
}

function drawChecking(measurements: readonly Measurement[]): string {
  const checks = measurements.filter(({ part, condition }) => part === 'validate' && condition === 'ordinary');
  const rows = Math.max(...checks.map((check) => check.rows));
  const bars = checks
    .filter((check) => check.rows === rows)
    .map((check) => ({ name: check.subject, value: rows / medianOf(check)!, isOurs: check.subject === 'paydrop' }))
    .sort((one, other) => other.value - one.value)
    .map((bar) => ({ ...bar, label: `${count(bar.value / 1_000)},000` }));
  return plotBars({ title: `Rows checked in a second, file of ${count(rows)} rows`, bars });
}

function drawSeries(measurements: readonly Measurement[], quantity: string): Series[] {
  const way = measurements.filter(({ part }) => part === 'drop-to-result');
  const names = new Map(way.map(({ subject, condition }) => [`${subject}, ${condition}`, { subject, condition }]));
  return [...names]
    .sort(([one], [other]) => Number(other.startsWith('paydrop')) - Number(one.startsWith('paydrop')))
    .map(([name, { subject, condition }]) => ({
      name,
      points: way
        .filter((each) => each.subject === subject && each.condition === condition)
        .flatMap((each) => pointOf(each, quantity)),
    }));
}

function pointOf(measurement: Measurement, quantity: string): (readonly [number, number])[] {
  const value = medianOf(measurement, quantity);
  return value === undefined ? [] : [[measurement.rows, value]];
}

type Bar = { readonly name: string; readonly value: number; readonly label: string; readonly isOurs: boolean };

const WIDTH = 720;
const ROW = 34;
const TOP = 34;
const LEFT = 130;
const RIGHT = WIDTH - 130;

/** Draws horizontal bars from zero, each followed by its value. */
export function plotBars(plot: { title: string; bars: readonly Bar[] }): string {
  const height = TOP + plot.bars.length * ROW + 6;
  const x = scaleLinear([0, Math.max(...plot.bars.map(({ value }) => value))], [LEFT, RIGHT]);
  const y = scaleBand(
    plot.bars.map(({ name }) => name),
    [TOP, height - 6],
  ).padding(0.25);
  return svg(
    WIDTH,
    height,
    plot.title,
    plot.bars.map(({ name, value, label, isOurs }) => {
      const top = y(name)!;
      const middle = top + y.bandwidth() / 2 + 4;
      const bar = `<rect class="${isOurs ? 'ours' : 'bar'}" x="${LEFT}" y="${round(top)}" width="${round(x(value) - LEFT)}" height="${round(y.bandwidth())}"/>`;
      return `${text(LEFT - 8, middle, name, '', 'end')}${bar}${text(x(value) + 8, middle, label)}`;
    }),
  );
}

/** Colors by role, for light and dark pages. The first series is paydrop. */
const PLOT_STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #3d4148; }
.title { font-size: 15px; font-weight: 600; }
.grid { stroke: #d9dce1; }
.line { fill: none; stroke-width: 2.5; }
.s0 { stroke: #0b6bcb; } .s1 { stroke: #12896b; } .s2 { stroke: #b4501e; } .s3 { stroke: #7a4fb5; } .s4 { stroke: #a1660a; } .s5 { stroke: #5d6672; }
.d0 { fill: #0b6bcb; } .d1 { fill: #12896b; } .d2 { fill: #b4501e; } .d3 { fill: #7a4fb5; } .d4 { fill: #a1660a; } .d5 { fill: #5d6672; }
.bar { fill: #a9b1bc; } .ours { fill: #0b6bcb; }
@media (prefers-color-scheme: dark) {
  text { fill: #c8ccd3; }
  .grid { stroke: #3a3f47; }
  .s0 { stroke: #66aef5; } .s1 { stroke: #4cc9a4; } .s2 { stroke: #ef9a6b; } .s3 { stroke: #b99aec; } .s4 { stroke: #e3b454; } .s5 { stroke: #a9b1bc; }
  .d0 { fill: #66aef5; } .d1 { fill: #4cc9a4; } .d2 { fill: #ef9a6b; } .d3 { fill: #b99aec; } .d4 { fill: #e3b454; } .d5 { fill: #a9b1bc; }
  .bar { fill: #5d6672; } .ours { fill: #66aef5; }
}
</style>`;

function svg(width: number, height: number, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    PLOT_STYLE,
    text(0, 16, title, 'title'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, words: string, look = '', anchor: 'start' | 'middle' | 'end' = 'start'): string {
  const looks = look === '' ? '' : ` class="${look}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${looks}>${escape(words)}</text>`;
}

/** Rounds to one decimal, which keeps the file small and identical on every machine. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

type Series = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] };

const LINES_WIDTH = 720;
const HEIGHT = 380;
const BOX = { left: 70, right: LINES_WIDTH - 235, top: 62, bottom: HEIGHT - 45 };

/** Up to so many points of a line are marked. */
const MARKED = 30;

/**
 * Draws lines, each labeled at its end. Series without points are left out.
 * @param plot.isEven axes from zero in even steps; otherwise they are logarithmic
 */
export function plotLines(plot: {
  title: string;
  x: string;
  y: string;
  series: readonly Series[];
  isEven?: boolean;
}): string {
  const series = plot.series.filter(({ points }) => points.length > 0);
  const all = series.flatMap(({ points }) => points);
  const scaleOf = plot.isEven ? evenScale : powerScale;
  const x = scaleOf(
    all.map(([value]) => value),
    [BOX.left, BOX.right],
  );
  const y = scaleOf(
    all.map(([, value]) => value),
    [BOX.bottom, BOX.top],
  );
  const path = line<readonly [number, number]>(
    ([value]) => round(x.at(value)),
    ([, value]) => round(y.at(value)),
  );
  const labels = spread(series.map(({ points }) => y.at(points.at(-1)![1])));
  return svg(LINES_WIDTH, HEIGHT, plot.title, [
    ...y.marks.map((mark) => horizontal(y.at(mark), label(mark))),
    ...x.marks.map((mark) => text(x.at(mark), BOX.bottom + 20, label(mark), '', 'middle')),
    text((BOX.left + BOX.right) / 2, HEIGHT - 6, plot.x, '', 'middle'),
    text(0, BOX.top - 24, plot.y),
    ...series.flatMap(({ name, points }, index) => [
      `<path class="line s${index}" d="${path(points)}"/>`,
      ...(points.length > MARKED ? [] : points).map(
        ([px, py]) => `<circle class="d${index}" cx="${round(x.at(px))}" cy="${round(y.at(py))}" r="3.5"/>`,
      ),
      text(BOX.right + 12, labels[index]! + 4, name, `d${index}`),
    ]),
  ]);
}

function horizontal(y: number, words: string): string {
  const at = round(y);
  const grid = `<line class="grid" x1="${BOX.left}" x2="${BOX.right}" y1="${at}" y2="${at}"/>`;
  return `${grid}${text(BOX.left - 8, y + 4, words, '', 'end')}`;
}

/** Where values lie on the picture, and those that are written at the axis. */
type Scale = { at: (value: number) => number; marks: readonly number[] };

function evenScale(values: readonly number[], range: [number, number]): Scale {
  const at = scaleLinear([0, Math.max(...values)], range).nice();
  return { at, marks: at.ticks(6) };
}

function powerScale(values: readonly number[], range: [number, number]): Scale {
  const at = scaleLog([Math.min(...values), Math.max(...values)], range).nice();
  return { at, marks: powersWithin(at.domain()) };
}

/** Returns the powers of ten that lie on the axis. */
function powersWithin([from = 1, to = 1]: readonly number[]): number[] {
  const powers = [];
  for (let n = Math.ceil(Math.log10(from) - 1e-9); 10 ** n <= to * (1 + 1e-9); n += 1) powers.push(10 ** n);
  return powers;
}

/** Rounds first, because 10 ** -2 is not exactly 0.01. */
function label(power: number): string {
  return Number(power.toPrecision(6)).toLocaleString('en-US', { maximumFractionDigits: 6 });
}

const LINE_HEIGHT = 18;

/** Spreads the labels so that they do not overlap: each at its place, or below the previous one. */
function spread(places: readonly number[]): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((one, other) => one.place - other.place);
  const spaced: number[] = [];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const { place, index } of order) {
    lowest = Math.max(place, lowest + LINE_HEIGHT);
    spaced[index] = lowest;
  }
  return spaced;
}
