import type { BenchRun } from '../measure/record.ts';
import { goalsOf, isMet } from './goals.ts';
import { figure, table } from './markdown.ts';
import { renderChecking } from './render-checking.ts';
import { renderLimits } from './render-limits.ts';
import { renderProfile } from './render-profile.ts';
import { renderStations } from './render-stations.ts';
import { renderWay } from './render-way.ts';
import { renderWaiting } from './render-waiting.ts';

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
    'npm run bench                        # everything, some 25 minutes; --write makes this page anew',
    'npm run bench -- --only validate     # one part; --rows and --rounds make it shorter',
    'npm run bench -- --quick --guard     # a minute: fails when a ratio has fallen by more than 30 %',
    '```',
    '',
    'What is measured how, and what is not, stands in [bench/README.md](../bench/README.md).',
    '',
  ];
}
