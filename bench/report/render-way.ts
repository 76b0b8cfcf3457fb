import { AFTERNOON, DURABLE, type Measurement } from '../measure/record.ts';
import { medianOf, ratioOf } from '../measure/statistics.ts';
import { filesPerSecond, rowsOfEach } from './goals.ts';
import { count, figure, table } from './markdown.ts';

/** Renders the sections on the whole way: large files, small files, a night, and over the sandbox. */
export function renderWay(measurements: readonly Measurement[]): string[] {
  const of = (name: string) => measurements.filter(({ part }) => part === name);
  return [
    '## From drop to result',
    '',
    '`paydrop start` with its ledger, its queue and its sealed archive, from the claim of the file to its last output.',
    'Beside it two peers, both of the usual packages. The afternoon script (`bench/peers/afternoon.ts`) keeps everything in',
    'memory, and nothing would survive a crash. The durable peer (`bench/peers/durable.ts`) stores rows and batches in',
    'PostgreSQL and has its queue in Redis; it seals nothing, keeps no audit trail and looks for no duplicates. All call the same',
    'stand-in of the service, which has every result at once; its processor time is part of all, and stands in the last column.',
    '',
    '![Seconds from drop to result](performance/drop-to-result.svg)',
    '',
    '![Memory from drop to result](performance/memory.svg)',
    '',
    ...compare(of('drop-to-result')),
    'Over the sandbox of the product, which judges and books every row and so takes longest of all:',
    '',
    ...compare(of('over-sandbox')),
    ...renderSmall(of('small-files')),
    ...renderNight(of('night')),
  ];
}

function compare(measurements: readonly Measurement[]): string[] {
  const ours = measurements.filter(({ subject }) => subject === 'paydrop');
  return [
    ...table(
      [
        '',
        'Rows',
        'paydrop',
        'durable peer',
        'times as fast',
        'script',
        'times as long',
        'memory',
        'of the durable peer',
        'of the script',
        'service',
      ],
      ours.map((own) => {
        const [durable, script] = [DURABLE, AFTERNOON].map((name) => peerOf(own, name, measurements));
        return [
          own.condition,
          count(own.rows),
          secondsOf(own),
          secondsOf(durable),
          figure(ratioOf(durable, own), ' x'),
          secondsOf(script),
          figure(ratioOf(own, script), ' x'),
          ...[own, durable, script].map((each) => figure(medianOf(each, 'peakMb'), ' MB')),
          figure(medianOf(own, 'serviceBusySeconds'), ' s'),
        ];
      }),
    ),
    ...sayLeftOut(measurements),
  ];
}

function renderSmall(small: readonly Measurement[]): string[] {
  return [
    '## Many small files',
    '',
    'All dropped at once; the clock runs from the drop. The script does one after the other.',
    '',
    ...table(
      ['', 'Rows each', 'Files', 'Seconds', 'Files/s', 'Memory', 'paydrop is as fast'],
      small.filter(isMeasured).map((measurement) => {
        const own = peerOf(measurement, 'paydrop', small);
        return [
          measurement.subject,
          figure(rowsOfEach(measurement)),
          figure(medianOf(measurement, 'files')),
          figure(medianOf(measurement)),
          figure(filesPerSecond(measurement)),
          figure(medianOf(measurement, 'peakMb'), ' MB'),
          measurement === own ? '' : figure(ratioOf(measurement, own), ' x'),
        ];
      }),
    ),
    ...sayLeftOut(small),
  ];
}

function renderNight(nights: readonly Measurement[]): string[] {
  return [
    '## A night',
    '',
    'Files of many sizes for many accounts in the order in which they arrive, without the waits between them: the next ones are',
    'dropped as soon as at most 50 lack their result. One round.',
    '',
    ...table(
      ['', 'Files', 'Rows', 'Seconds', 'Files/s', 'Drop to result', '99 of 100 below', 'Memory'],
      nights
        .filter(isMeasured)
        .map((measurement) => [
          measurement.subject,
          figure(medianOf(measurement, 'files')),
          count(measurement.rows),
          figure(medianOf(measurement)),
          figure(filesPerSecond(measurement)),
          figure(medianOf(measurement, 'medianSeconds'), ' s'),
          figure(medianOf(measurement, 'p99Seconds'), ' s'),
          figure(medianOf(measurement, 'peakMb'), ' MB'),
        ]),
    ),
    ...sayLeftOut(nights),
  ];
}

function peerOf(measurement: Measurement, name: string, measurements: readonly Measurement[]): Measurement | undefined {
  return measurements.find(
    ({ subject, condition, rows }) =>
      subject === name && condition === measurement.condition && rows === measurement.rows,
  );
}

function secondsOf(measurement: Measurement | undefined): string {
  if (!measurement) return 'not measured';
  return isMeasured(measurement) ? figure(medianOf(measurement), ' s') : 'left out';
}

function isMeasured({ samples }: Measurement): boolean {
  return samples.length > 0;
}

function sayLeftOut(measurements: readonly Measurement[]): string[] {
  const reasons = measurements.flatMap(({ subject, leftOut }) =>
    leftOut === undefined ? [] : `The ${subject} was left out: ${leftOut}.`,
  );
  return [...new Set(reasons)].flatMap((sentence) => [sentence, '']);
}
