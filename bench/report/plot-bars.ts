import { scaleBand, scaleLinear } from 'd3-scale';
import { round, svg, text } from './plot-style.ts';

export type Bar = { readonly name: string; readonly value: number; readonly label: string; readonly isOurs: boolean };

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
