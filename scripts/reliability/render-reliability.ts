import type { Published, PublishedRun } from './reports.ts';
import { type Sums, sumReports } from './sum-reports.ts';
import { renderHours } from './render-hours.ts';
import { FOUND_BEFORE } from './found-before.ts';

/** Renders docs/reliability.md. Every figure comes from the reports. */
export function renderReliability({ runs }: Published): string {
  const sums = sumReports(runs.flatMap(({ reports }) => reports));
  return [
    '# Reliability',
    '',
    '<!-- Written by `npm run reliability` from docs/reliability.json. -->',
    '',
    'The payment service has no idempotency key: a batch that is sent twice is charged twice. What paydrop promises',
    'instead is tried by machines that break everything they can reach and then ask the books of the service. This page is',
    'the record of their runs, added up over the versions listed; the commands at the end do it again.',
    '',
    ...renderVerdict(sums),
    ...renderRuns(runs),
    ...renderInjected(sums),
    ...renderHours(runs),
    ...renderChecks(),
    ...renderBounds(sums),
    ...renderDefects(sums),
    ...renderFound(),
    ...renderDetails(sums),
    ...renderAgain(),
  ].join('\n');
}

function renderVerdict({ simulation, chaos, damage, defects, hours }: Sums): string[] {
  const money = simulation.counts['money'] ?? {};
  const twice = (money['batches taken too often'] ?? 0) + (money['rows charged that nobody knows of'] ?? 0);
  const rows = sum(simulation.counts['rows'] ?? {}) + chaos.rows + hours.rows;
  const missed = defects.filter(({ caughtBy }) => caughtBy.length === 0).length;
  return table(
    ['What', 'How often', 'Failed'],
    [
      ['scenarios of the simulation', count(simulation.scenarios), count(simulation.failed)],
      ['kills of real processes, cuts of the power among them', count(chaos.kills), `${count(chaos.failed)} stories`],
      ['hours on three hosts', count(hours.hours), count(hours.failed)],
      ['damaged payment files read', count(damage.files), count(damage.failed)],
      ['rows, and of them charged twice', count(rows), count(twice)],
      ['seeded defects', count(defects.length), missed === 0 ? '0 missed' : `${missed} were MISSED`],
    ],
  );
}

function renderRuns(runs: readonly PublishedRun[]): string[] {
  const rows = runs.toReversed().map(({ day, commit, machine, reports }) => {
    const { simulation, chaos, damage, hours: long } = sumReports(reports);
    const failed = simulation.failed + chaos.failed + damage.failed + long.failed;
    const hours = (simulation.seconds + chaos.seconds + damage.seconds) / 3_600 + long.hours;
    const figures = [simulation.scenarios, chaos.kills + long.kills, damage.files, failed].map(count);
    return [day, commit, ...figures, hours.toFixed(1), machine];
  });
  return table(['Day', 'Version', 'Scenarios', 'Kills', 'Damaged files', 'Failed', 'Hours', 'On'], rows);
}

function renderInjected({ simulation, chaos, damage }: Sums): string[] {
  const of = (topic: string) => sum(simulation.counts[topic] ?? {});
  const steps = simulation.counts['steps'] ?? {};
  const restores = chaos.tally['older ledger restored'] ?? 0;
  const wiped = ['redis flushed', 'redis killed, older snapshot', 'queue schema dropped'];
  const lost = wiped.reduce((total, name) => total + (chaos.tally[name] ?? 0), 0);
  const powerCuts = sum(Object.fromEntries(Object.entries(chaos.tally).filter(([name]) => name.startsWith('power, '))));
  return [
    '## What was done to it',
    '',
    ...table(
      ['Injected', 'In the simulation', 'To real processes'],
      [
        ['payment files dropped', count(of('drops')), ''],
        ['of them damaged', count(simulation.counts['drops']?.['a damaged file'] ?? 0), ''],
        ['rows', count(of('rows')), count(chaos.rows)],
        ['deaths of a process', count(of('crashes')), count(chaos.kills)],
        ['statements, writes and calls that failed', count(of('disturbances')), ''],
        ['another instance, person or hour in the middle of a step', count(of('meanwhile')), ''],
        ['faults of the service that struck', count(of('faults struck')), ''],
        ['kinds of them', count(Object.keys(simulation.counts['faults struck'] ?? {}).length), ''],
        ['queue lost or put back', count(steps['the queue is lost'] ?? 0), count(lost)],
        ['acts of persons', count(of('acts')), count(chaos.tally['batch in doubt, resolved'] ?? 0)],
        ['clock set back', count(steps['the clock is set back'] ?? 0), ''],
        ['ledger put back from an older copy', '', count(restores)],
        ['power cut, and undone what was not synced', '', count(powerCuts)],
        ['PostgreSQL killed', '', count(chaos.tally['postgres'] ?? 0)],
        ['service killed', '', count(chaos.tally['sandbox'] ?? 0)],
      ],
    ),
    `Beside it ${count(damage.files)} damaged files with ${count(damage.rows)} rows were read twice, in pieces of different sizes, and`,
    'compared with their bytes by other code.',
    '',
    `From a restart to rest after a kill: ${seconds(chaos.medianRestMs)} (median), ${seconds(chaos.longestRestMs)} (longest).`,
    '',
  ];
}

function renderChecks(): string[] {
  return [
    '## What was looked at',
    '',
    'The oracle is what the payment service has in its books. After each step, and again when all has come to rest:',
    '',
    '- no row is charged more often than a recorded resolution allows, and none without its intent in ledger and journal;',
    '- every data row of every file is in exactly one final outcome, or in an open state that a list shows;',
    '- rows and money are the same at each hand-over: input, ledger, batches, books, outcomes, outputs;',
    '- result files have every row in the order of the input, as it was written;',
    '- no card or account number stands in a log, a job, a table, an output or a file name;',
    '- all comes to rest without a repair by hand; what is in doubt or held is listed, and resolved with the commands of paydrop;',
    '- a call that says that nothing was sent has sent nothing, and is made again without a person.',
    '',
    'How each machine works stands beside it, in the source: `test/simulation/README.md`, `test/chaos/README.md`.',
    '',
  ];
}

function renderBounds({ simulation, chaos }: Sums): string[] {
  return [
    '## What that says',
    '',
    'Nothing was found in n tries, so with 95 % confidence it happens in fewer than 3/n of them:',
    '',
    ...table(
      ['In', 'n', 'Fewer than'],
      [
        [
          'a scenario, with all that goes wrong in it',
          count(simulation.scenarios),
          bound(simulation.scenarios, simulation.failed),
        ],
        ['a kill of a process', count(chaos.kills), bound(chaos.kills, chaos.failed)],
      ],
    ),
    'These are tries in which everything goes wrong on purpose. A quiet night has none of it.',
    '',
  ];
}

function renderDefects({ defects }: Sums): string[] {
  return [
    '## Whether the machines can see',
    '',
    'Deliberate defects were put into the code, one at a time. A machine that finds nothing proves nothing.',
    '',
    ...table(
      ['Defect', 'Noticed by'],
      defects.map(({ name, caughtBy }) => [
        name,
        caughtBy.map((by) => by.replace(/^test\//, '')).join(', ') || 'NOBODY',
      ]),
    ),
  ];
}

function renderFound(): string[] {
  return [
    '## What they found before',
    '',
    'During development; each was fixed and its seed played again.',
    '',
    ...table(
      ['Found', 'By', 'It was'],
      FOUND_BEFORE.map(({ found, by, was }) => [found, by, was]),
    ),
  ];
}

function renderDetails({ simulation, chaos, damage }: Sums): string[] {
  const points = Object.entries(chaos.tally).filter(([name]) => name.startsWith('point '));
  const kills = Object.entries(chaos.killsByQueue).map(
    ([queue, times]) => `${count(times)} with the queue in ${queue}`,
  );
  return [
    '## In detail',
    '',
    `Kills: ${kills.join(', ')}.`,
    '',
    ...list(`Killed at ${points.length} points`, Object.fromEntries(points.map(([name, n]) => [name.slice(6), n]))),
    ...list('Done to real processes', without(chaos.tally, 'point ')),
    ...list('Faults of the service that struck', simulation.counts['faults struck'] ?? {}),
    ...list('Acts of persons', simulation.counts['acts'] ?? {}),
    ...list('Damages of payment files read', damage.damages),
    ...list('Verdicts of them', damage.verdicts),
  ];
}

function renderAgain(): string[] {
  return [
    '## Do it again',
    '',
    '```sh',
    'npm run simulate -- --seed 1 --scenarios 1000 --jobs 2',
    'npm run chaos -- --kills 100 --seed 1',
    'PAYDROP_TEST_RUNS=50000 PAYDROP_TEST_RECORD=damage.json npx vitest run --project soak test/damage',
    'npm run scale -- --hours 2 --rows 20 --accounts 6 --pace 2 --answer 500',
    'npm run defects',
    '```',
    '',
    'Each `npm run` takes `--json`; `npm run reliability -- <files>` adds what they print, and the record of damaged files, to',
    'this page. A scenario is played again exactly by its seed, a damaged file by the seed and path of its failure; of a story of',
    'kills the acts are the same, the moments are not. A smaller part of everything runs in `npm test`.',
    '',
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

function list(title: string, tally: Record<string, number>): string[] {
  const entries = Object.entries(tally).toSorted(([one], [other]) => one.localeCompare(other));
  return [`**${title}**: ${entries.map(([name, times]) => `${name} ${count(times)}`).join(', ')}.`, ''];
}

function without(tally: Record<string, number>, start: string): Record<string, number> {
  return Object.fromEntries(Object.entries(tally).filter(([name]) => !name.startsWith(start)));
}

function sum(tally: Record<string, number>): number {
  return Object.values(tally).reduce((total, times) => total + times, 0);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function bound(tries: number, failed: number): string {
  if (failed > 0) return `no bound, ${failed} failed`;
  return tries === 0 ? 'unknown' : `${((3 / tries) * 100).toPrecision(2)} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
