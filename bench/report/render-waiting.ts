import { lookUp, medianOf } from '../measure/look-up.ts';
import type { Measurement } from '../measure/record.ts';
import { count, figure, table } from './markdown.ts';

/** Renders what users wait for: the start, and what may grow over the years: waiting batches and ledger rows. */
export function renderWaiting(measurements: readonly Measurement[]): string[] {
  const polls = measurements.filter(({ part }) => part === 'polling');
  const asked = lookUp(measurements, { part: 'questions' });
  return [
    ...renderStart(lookUp(measurements, { part: 'start' })),
    '## Batches that wait',
    '',
    'One question for a result that is not there yet, call and new job included, while so many batches wait.',
    '',
    ...table(
      ['Batches', 'One question', '99 of 100 below', 'A sweep'],
      polls.map((poll) => [
        count(poll.rows),
        figure(inMs(medianOf(poll)), ' ms'),
        figure(medianOf(poll, 'pollP99Ms'), ' ms'),
        figure(inMs(medianOf(poll, 'sweepSeconds')), ' ms'),
      ]),
    ),
    '## Questions to a large ledger',
    '',
    asked ? `With ${count(asked.rows)} finished rows in it, in 20 files.` : 'A ledger with millions of finished rows.',
    '',
    ...table(
      ['Question', 'Median', 'The first', 'The slowest'],
      asked
        ? QUESTIONS.map(([question, name]) => [
            question,
            ...[`${name}Ms`, `${name}FirstMs`, `${name}SlowestMs`].map((quantity) =>
              figure(medianOf(asked, quantity), ' ms'),
            ),
          ])
        : [],
    ),
  ];
}

function renderStart(start: Measurement | undefined): string[] {
  return [
    '## Starting',
    '',
    'Until `paydrop start` watches its folders, with the embedded PostgreSQL, and what a command takes beside it.',
    '',
    ...table(
      ['What', 'Median'],
      start
        ? [
            ['`paydrop start` in a new folder', figure(medianOf(start, 'firstMs'), ' ms')],
            ['`paydrop start` in one that is there', figure(inMs(medianOf(start)), ' ms')],
            ['`paydrop find`', figure(medianOf(start, 'findMs'), ' ms')],
            ['`paydrop status`', figure(medianOf(start, 'statusMs'), ' ms')],
            ['Node with nothing to do', figure(medianOf(start, 'nodeMs'), ' ms')],
          ]
        : [],
    ),
  ];
}

const QUESTIONS: readonly (readonly [string, string])[] = [
  ['what happened to an invoice', 'find'],
  ['how things stand', 'status'],
  ['front page of the dashboard, over HTTP', 'front'],
  ['search page of the dashboard, over HTTP', 'search'],
  ['`paydrop find`, with the start of the program', 'findCommand'],
  ['`paydrop status`, with the start of the program', 'statusCommand'],
];

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
