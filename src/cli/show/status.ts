import { EXIT } from '../../../schemas/errors.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { formatCents } from '../../kernel/money.ts';
import { type OpenFile, type Overview, readOverview } from '../../ledger/overview/overview.ts';
import { readTies, type Tie } from '../../ledger/proposal/refuse-acquainted.ts';
import { readWithheldFiles, type WithheldFile } from '../../ledger/row/read-withheld.ts';
import { sayAmount } from '../../reconcile/say-withheld.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { textTable } from '../print/table.ts';
import { type Obstacle, readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { isLate, type LateRuns, readLateRuns } from '../../explain/late-runs.ts';
import { HOW_TO_END, proposalTable } from '../commands/proposals.ts';

export const status: CliCommand = {
  name: 'status',
  about: 'What is on its way, what is stuck and what to do about it',
  options: [
    JSON_OPTION,
    ['--check', 'exit status says the worst that is open: 3 held or late, 4 unknown, 5 exception or does not go on'],
  ],
  examples: ['status', 'status --check > /dev/null || echo "paydrop needs a person"'],
  async run(call) {
    const { overview, late, withheld, obstacles, ties } = await withLedger(call, async (ledger, settings) => ({
      overview: await readOverview(ledger),
      withheld: await readWithheldFiles(ledger),
      late: await readLateRuns(ledger, settings),
      obstacles: await readObstacles(ledger, settings),
      ties: await readTies(ledger, settings.newcomerDays),
    }));
    print(call, { ...overview, ...late, withheld, obstacles }, () =>
      describe({ overview, late, withheld, obstacles, ties }),
    );
    if (!call.options['check']) return EXIT.ok;
    const stuck = obstacles.length > 0 ? EXIT.exception : EXIT.ok;
    return Math.max(troubleStatus(overview), isLate(late) ? EXIT.held : EXIT.ok, stuck);
  },
};

type Told = {
  overview: Overview;
  late: LateRuns;
  withheld: readonly WithheldFile[];
  obstacles: readonly Obstacle[];
  ties: readonly Tie[];
};

function describe({ overview, late, withheld, obstacles, ties }: Told): string {
  return [
    ...doubtLines(overview),
    ...obstacleLines(obstacles),
    ...lateLines(overview),
    ...lateRunLines(late),
    ...stoppedLines(overview),
    ...proposalLines(overview, ties),
    ...openLines(overview),
    ...withheldLines(withheld),
    section(
      'Files',
      overview.files.length === 0
        ? 'none yet'
        : textTable(
            ['State', 'Files', 'Rows', 'Valid total'],
            overview.files.map((row) => [row.state, String(row.files), String(row.rows), formatCents(row.cents)]),
            [1, 2, 3],
          ),
    ),
    section(
      'Last 24 hours',
      overview.today.length === 0
        ? 'no outcomes yet'
        : textTable(
            ['Account', 'Outcome', 'Rows', 'Total', 'It means'],
            overview.today.map((row) => [
              row.account,
              OUTCOMES[row.outcome as Outcome].label,
              String(row.rows),
              formatCents(row.cents),
              OUTCOMES[row.outcome as Outcome].means,
            ]),
            [2, 3],
          ),
    ),
  ].join('\n\n');
}

/** Lists batches that need a person, first of all sections: nothing is as urgent. */
function doubtLines({ doubt }: Overview): string[] {
  if (doubt.length === 0) return [];
  const rows = doubt.map((batch) => [
    batch.account,
    `${batch.fileId}/${batch.batchNo}`,
    batch.name,
    batch.state,
    String(batch.rows),
    formatCents(batch.cents),
    batch.since.toISOString(),
    batch.reason ?? '',
  ]);
  const table = textTable(['Account', 'Batch', 'File', 'State', 'Rows', 'Total', 'Since', 'Why'], rows, [4, 5]);
  return [
    section('Needs a person', `${table}\n\n${[...new Set(doubt.map((batch) => NEXT[batch.state] ?? ''))].join('\n')}`),
  ];
}

function obstacleLines(obstacles: readonly Obstacle[]): string[] {
  return obstacles.length === 0 ? [] : [section('Does not go on', describeObstacles(obstacles))];
}

/** Returns each cause once, with all its remedies. */
export function describeObstacles(
  obstacles: readonly Omit<Obstacle, 'key' | 'account' | 'fileId' | 'batchNo'>[],
): string {
  const told = new Map<string, string>();
  for (const { what, name, why, next, since } of obstacles) {
    const cause = `${what}${name ? ` (${name})` : ''}${since ? ` since ${since.toISOString()}` : ''}: ${why}`;
    told.set(cause, `${told.get(cause) ?? cause}\n  ${next}`);
  }
  return [...told.values()].join('\n');
}

const NEXT: Record<string, string> = {
  unknown:
    'unknown: the service may have taken the batch. It is not sent again; its account waits. Never drop its file again. See "paydrop unknown list".',
  refused:
    'refused: the service said no, nothing was charged; its account waits. Fix the cause, then "paydrop retry BATCH --reason …" or "paydrop withdraw BATCH --reason …".',
  exception: 'exception: the result does not fit what was sent. See "paydrop exceptions BATCH".',
};

/** Lists batches that the service has. Polling goes on, and only the service knows their result. */
function lateLines({ late }: Overview): string[] {
  if (late.length === 0) return [];
  const rows = late.map((batch) => [
    batch.account,
    `${batch.fileId}/${batch.batchNo}`,
    batch.name,
    batch.batchId,
    String(batch.rows),
    formatCents(batch.cents),
    batch.staleSince ? `overdue since ${batch.staleSince.toISOString()}` : '',
    batch.says ?? '',
  ]);
  const titles = ['Account', 'Batch', 'File', 'Batch Id', 'Rows', 'Total', 'State', 'The service says'];
  const hint = 'They are asked for on. Ask the service about the batch ids.';
  return [section('Waiting for a result', `${textTable(titles, rows, [4, 5])}\n\n${hint}`)];
}

function stoppedLines({ stopped }: Overview): string[] {
  if (stopped.length === 0) return [];
  const rows = stopped.map((row) => [row.account, row.since.toISOString(), row.reason]);
  const hint = '"paydrop account list" says of each what to do.';
  return [section('Stopped accounts', `${textTable(['Account', 'Since', 'Why'], rows)}\n\n${hint}`)];
}

function proposalLines({ proposals }: Overview, ties: readonly Tie[]): string[] {
  if (proposals.length === 0) return [];
  const makers = new Set(proposals.map((proposal) => proposal.made_by));
  const pairs = ties
    .filter(({ maker, person }) => makers.has(maker) || makers.has(person))
    .map(
      ({ maker, person, at }) =>
        `\n${person} was made a user or changed by ${maker} on ${at.toISOString()}: neither confirms what the other proposed.`,
    );
  return [section('Waiting for a second person', `${proposalTable(proposals)}\n\n${HOW_TO_END}${pairs.join('')}`)];
}

function openLines({ open }: Overview): string[] {
  if (open.length === 0) return [];
  const rows = open.map((file) => [
    file.file_id,
    file.name,
    file.account,
    file.state,
    file.batches ? `${file.done}/${file.batches}` : '',
    file.state_at.toISOString(),
    file.reason ?? '',
  ]);
  const table = textTable(['File', 'Name', 'Account', 'State', 'Batches', 'Since', 'Why'], rows);
  const held = open.filter((file) => file.state === 'held');
  return [section('On their way', held.length > 0 ? `${table}\n\n${heldHint(held)}` : table)];
}

function withheldLines(withheld: readonly WithheldFile[]): string[] {
  if (withheld.length === 0) return [];
  const rows = withheld.map((file) => [
    file.account,
    file.fileId,
    file.name,
    file.claimedAt.toISOString(),
    String(file.rows),
    sayAmount(file),
  ]);
  const table = textTable(['Account', 'File', 'Name', 'Claimed', 'Rows', 'Total'], rows, [4]);
  const hint = 'They have faults and were not sent. Correct them in the .rejects.csv of the file and drop that.';
  return [section('Withheld and not paid, last 7 days', `${table}\n\n${hint}`)];
}

/** Says how to decide held files. A file without a valid row cannot be approved. */
function heldHint(held: readonly OpenFile[]): string {
  const approve = held.some((file) => file.valid_rows) ? '"paydrop approve FILE --reason …" or ' : '';
  return `held: look at the .held.csv in the out folder, then ${approve}"paydrop decline FILE --reason …".`;
}

function section(title: string, body: string): string {
  return `${title}\n${body}`;
}

/** Returns sections of `paydrop status`. */
export function lateRunLines({ lateRuns, missingFiles }: LateRuns): string[] {
  const runs = lateRuns.map((run) => [run.schedule, run.day, run.state, run.dueAt.toISOString(), run.says]);
  const files = missingFiles.map((missing) => [missing.folder, missing.account, missing.day, missing.by]);
  return [
    ...(runs.length > 0
      ? [`Late schedules\n${textTable(['Schedule', 'Day', 'State', 'Due', 'Why'], runs)}\n\n${RUN_HINT}`]
      : []),
    ...(files.length > 0
      ? [`Expected files that did not come\n${textTable(['Folder', 'Account', 'Day', 'By'], files)}\n\n${FILE_HINT}`]
      : []),
  ];
}

const RUN_HINT =
  '"paydrop schedule run NAME" makes today\'s run. What lies in the folders is taken by the next run in any case.';
const FILE_HINT = 'Ask the sender.';

/**
 * Returns the exit status for the worst open problem.
 * @param rejected number of rejected files, where that counts
 */
export function troubleStatus(overview: Overview, rejected = 0): number {
  const states = new Set(overview.doubt.map((batch) => batch.state));
  if (states.has('exception') || states.has('refused') || overview.stopped.length > 0) return EXIT.exception;
  if (states.has('unknown')) return EXIT.unknownOpen;
  // Use the counts, because the list of open files is truncated.
  if (overview.files.some((row) => row.state === 'held')) return EXIT.held;
  return rejected > 0 ? EXIT.invalid : EXIT.ok;
}
