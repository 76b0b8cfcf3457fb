import { scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { round, svg, text } from './plot-style.ts';

export type Series = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] };

const WIDTH = 720;
const HEIGHT = 380;
const BOX = { left: 70, right: WIDTH - 235, top: 62, bottom: HEIGHT - 45 };

/** Draws lines over two logarithmic axes, each labeled at its end. Series without points are left out. */
export function plotLines(plot: { title: string; x: string; y: string; series: readonly Series[] }): string {
  const series = plot.series.filter(({ points }) => points.length > 0);
  const all = series.flatMap(({ points }) => points);
  const x = scaleLog(extentOf(all.map(([value]) => value)), [BOX.left, BOX.right]);
  const y = scaleLog(extentOf(all.map(([, value]) => value)), [BOX.bottom, BOX.top]).nice();
  const path = line<readonly [number, number]>(
    ([value]) => round(x(value)),
    ([, value]) => round(y(value)),
  );
  const labels = spread(series.map(({ points }) => y(points.at(-1)![1])));
  return svg(WIDTH, HEIGHT, plot.title, [
    ...powersWithin(y.domain()).map((power) => horizontal(y(power), label(power))),
    ...powersWithin(x.domain()).map((power) => text(x(power), BOX.bottom + 20, label(power), '', 'middle')),
    text((BOX.left + BOX.right) / 2, HEIGHT - 6, plot.x, '', 'middle'),
    text(0, BOX.top - 24, plot.y),
    ...series.flatMap(({ name, points }, index) => [
      `<path class="line s${index}" d="${path(points)}"/>`,
      ...points.map(([px, py]) => `<circle class="d${index}" cx="${round(x(px))}" cy="${round(y(py))}" r="3.5"/>`),
      text(BOX.right + 12, labels[index]! + 4, name, `d${index}`),
    ]),
  ]);
}

function horizontal(y: number, words: string): string {
  const at = round(y);
  const grid = `<line class="grid" x1="${BOX.left}" x2="${BOX.right}" y1="${at}" y2="${at}"/>`;
  return `${grid}${text(BOX.left - 8, y + 4, words, '', 'end')}`;
}

function extentOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
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
