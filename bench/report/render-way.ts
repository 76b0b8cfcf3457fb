import { medianOf, ratioOf } from '../measure/look-up.ts';
import type { Measurement } from '../measure/record.ts';
import { filesPerSecond } from './goals.ts';
import { count, figure, table } from './markdown.ts';

/** Renders the sections on the whole way: large files, small files, and over the sandbox. */
export function renderWay(measurements: readonly Measurement[]): string[] {
  const small = measurements.filter(({ part }) => part === 'small-files');
  return [
    '## From drop to result',
    '',
    '`paydrop start` with its ledger, its queue and its sealed archive, from the claim of the file to its last output.',
    'Beside it the [afternoon script](../bench/peers/afternoon.ts): the usual packages, everything in memory, nothing that would',
    'survive a crash. Both call the same stand-in of the service, which has every result at once; its processor time is part of',
    'both, and stands in the last column.',
    '',
    '![Seconds from drop to result](performance/drop-to-result.svg)',
    '',
    '![Memory from drop to result](performance/memory.svg)',
    '',
    ...compare(measurements.filter(({ part }) => part === 'drop-to-result')),
    'Over the sandbox of the product, which judges and books every row and so takes longest of all:',
    '',
    ...compare(measurements.filter(({ part }) => part === 'over-sandbox')),
    '## Many small files',
    '',
    'All dropped at once, a hundred rows each; the clock runs from the drop. The script does one after the other.',
    '',
    ...table(
      ['', 'Files', 'Seconds', 'Files/s', 'Memory'],
      small.map((measurement) => [
        measurement.subject,
        figure(medianOf(measurement, 'files')),
        figure(medianOf(measurement)),
        figure(filesPerSecond(measurement)),
        figure(medianOf(measurement, 'peakMb'), ' MB'),
      ]),
    ),
  ];
}

function compare(measurements: readonly Measurement[]): string[] {
  const ours = measurements.filter(({ subject }) => subject === 'paydrop');
  return table(
    ['', 'Rows', 'paydrop', 'script', 'ratio', 'memory', 'of the script', 'service'],
    ours.map((own) => {
      const peer = measurements.find(
        ({ subject, condition, rows }) => subject !== 'paydrop' && condition === own.condition && rows === own.rows,
      );
      return [
        own.condition,
        count(own.rows),
        figure(medianOf(own), ' s'),
        figure(medianOf(peer), ' s'),
        figure(ratioOf(own, peer), ' x'),
        figure(medianOf(own, 'peakMb'), ' MB'),
        figure(medianOf(peer, 'peakMb'), ' MB'),
        figure(medianOf(own, 'serviceBusySeconds'), ' s'),
      ];
    }),
  );
}
