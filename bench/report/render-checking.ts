import { medianOf, ratioOf } from '../measure/look-up.ts';
import type { Measurement } from '../measure/record.ts';
import { count, figure, table } from './markdown.ts';

/** Renders the section on checking files. */
export function renderChecking(measurements: readonly Measurement[]): string[] {
  const checks = measurements.filter(({ part }) => part === 'validate');
  return [
    '## Checking files',
    '',
    'paydrop checks every rule of every row, adds up, hashes, and writes the bytes to send; the readers beside it only cut rows',
    'and cells. The floor reads, hashes and encodes, and looks at nothing. One row in ten has a quoted field, one in a hundred',
    'is invalid.',
    '',
    '![Rows checked in a second](performance/checking.svg)',
    '',
    ...table(
      ['Ordinary file', 'Rows', 'Seconds', 'Rows/s', 'Memory', 'Against bare csv-parse'],
      checks.filter(({ condition }) => condition === 'ordinary').map((check) => lineOf(check, check.subject, checks)),
    ),
    'An ordinary file is what the check is made for. What it costs on others:',
    '',
    ...table(
      ['Other files', 'Rows', 'Seconds', 'Rows/s', 'Memory', 'Against bare csv-parse'],
      checks
        .filter(({ subject, condition }) => subject === 'paydrop' && condition !== 'ordinary')
        .map((check) => lineOf(check, check.condition, checks)),
    ),
  ];
}

function lineOf(check: Measurement, name: string, checks: readonly Measurement[]): string[] {
  const { rows, condition } = check;
  const bare = checks.find(
    (other) => other.subject === 'csv-parse' && other.condition === condition && other.rows === rows,
  );
  const seconds = medianOf(check)!;
  return [
    name,
    count(rows),
    figure(seconds),
    count(rows / seconds),
    figure(medianOf(check, 'peakMb'), ' MB'),
    figure(ratioOf(bare, check), ' x'),
  ];
}
