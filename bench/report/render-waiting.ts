import { lookUp, medianOf } from '../measure/look-up.ts';
import type { Measurement } from '../measure/record.ts';
import { count, figure, table } from './markdown.ts';

/** The parts about what grows with the years: batches that wait, and rows in the ledger. */
export function renderWaiting(measurements: readonly Measurement[]): string[] {
  const polls = measurements.filter(({ part }) => part === 'polling');
  const asked = lookUp(measurements, { part: 'questions' });
  return [
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

const QUESTIONS: readonly (readonly [string, string])[] = [
  ['what happened to an invoice', 'find'],
  ['how things stand', 'status'],
  ['front page of the desk, over HTTP', 'front'],
  ['search page of the desk, over HTTP', 'search'],
  ['`paydrop find`, with the start of the program', 'findCommand'],
  ['`paydrop status`, with the start of the program', 'statusCommand'],
];

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
