import type { BenchRun, Measurement } from '../measure/record.ts';
import { median } from '../measure/statistics.ts';

/** Returns the measurements as a table for the terminal. */
export function describeRun(run: BenchRun): string {
  const { machine } = run;
  const lines = [
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, PostgreSQL ${machine.postgres}`,
    '',
    row(['part', 'subject', 'condition', 'rows', 'seconds', 'rows/s', 'MB']),
    ...run.measurements.map((measurement) => row(cellsOf(measurement))),
  ];
  return `${lines.join('\n')}\n`;
}

function cellsOf({ part, subject, condition, rows, samples, leftOut }: Measurement): string[] {
  if (leftOut !== undefined) return [part, subject, condition, count(rows), `left out: ${leftOut}`];
  const seconds = median(samples.map((sample) => sample.seconds));
  const memory = median(samples.map(({ peakMb }) => peakMb ?? Number.NaN));
  return [
    part,
    subject,
    condition,
    count(rows),
    seconds.toFixed(2),
    count(Math.round(rows / seconds)),
    memory.toFixed(0),
  ];
}

const WIDTHS = [16, 18, 26, 11, 9, 11, 6];

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index < 3 ? cell.padEnd(WIDTHS[index]!) : cell.padStart(WIDTHS[index]!)))
    .join(' ');
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
