import { medianOf } from '../measure/look-up.ts';
import type { BenchRun, Measurement } from '../measure/record.ts';
import { count } from './markdown.ts';
import { plotBars } from './plot-bars.ts';
import { plotLines, type Series } from './plot-lines.ts';

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
