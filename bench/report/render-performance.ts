import type { BenchRun, Measurement } from '../measure/record.ts';
import { lookUp, medianOf, ratioOf } from '../measure/statistics.ts';
import { goalsOf, isMet } from './goals.ts';
import { count, figure, table } from './markdown.ts';
import { renderLimits, renderProfile, renderStations } from './render-limits.ts';
import { renderWay } from './render-way.ts';

/** Renders docs/performance.md. Every figure comes from the record. */
export function renderPerformance(run: BenchRun): string {
  return [
    '# Performance',
    '',
    '<!-- Written by `npm run performance` from docs/performance.json. -->',
    '',
    'How fast paydrop is beside what else one would use, and whether it stays so with large files and a large ledger. Each',
    `figure is ${sayRounds(run.rounds)}, each in a process of its own. Seconds say as much about the`,
    'machine as about the program; ratios were taken round by round and hold elsewhere too.',
    '',
    ...renderMachine(run),
    ...renderGoals(run),
    ...renderChecking(run.measurements),
    ...renderStations(run.measurements),
    ...renderWay(run.measurements),
    ...renderWaiting(run.measurements),
    ...renderLimits(run),
    ...renderProfile(run.measurements),
    ...renderAgain(),
  ].join('\n');
}

function sayRounds(rounds: number): string {
  return rounds === 1 ? 'of one round' : `the median of ${rounds} rounds in which all took turns`;
}

function renderMachine({ machine, versions, day }: BenchRun): string[] {
  const peers = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `Measured on ${day}: ${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node},`,
    `PostgreSQL ${machine.postgres} (embedded, fsync on); ${peers.join(', ')}.`,
    '',
  ];
}

function renderGoals(run: BenchRun): string[] {
  return [
    '## Goals',
    '',
    ...table(
      ['Goal', 'Wanted', 'Measured', ''],
      goalsOf(run).map((goal) => [
        goal.goal,
        `${goal.is} ${goal.limit}${goal.unit}`,
        figure(goal.measured, goal.unit),
        VERDICTS[String(isMet(goal))]!,
      ]),
    ),
  ];
}

const VERDICTS: Readonly<Record<string, string>> = { true: 'met', false: '**missed**', undefined: 'not measured' };

function renderAgain(): string[] {
  return [
    '## Do it again',
    '',
    '```sh',
    'npm run bench                        # everything, some 40 minutes; --write makes this page anew',
    'npm run bench -- --only validate     # one part; --rows and --rounds make it shorter',
    'npm run bench -- --quick --guard     # some minutes: fails when a ratio has fallen by more than 30 %',
    '```',
    '',
    'What is measured how, and what is not, stands in `bench/README.md`.',
    '',
  ];
}

/** Renders the section on checking files. */
function renderChecking(measurements: readonly Measurement[]): string[] {
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

/** Renders what users wait for: the start, and what may grow over the years: waiting batches and ledger rows. */
function renderWaiting(measurements: readonly Measurement[]): string[] {
  const polls = measurements.filter(({ part }) => part === 'polling');
  const asked = lookUp(measurements, { part: 'questions' });
  return [
    ...renderStart(lookUp(measurements, { part: 'start' })),
    '## Batches that wait',
    '',
    'One question for a result that is not there yet, call included, while so many batches wait.',
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
  ['the same with 2,350 batches finished today and 200 open', 'busyFront'],
  ['search page of the dashboard, over HTTP', 'search'],
  ['`paydrop find`, with the start of the program', 'findCommand'],
  ['`paydrop status`, with the start of the program', 'statusCommand'],
];

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
