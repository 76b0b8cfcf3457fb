import { EXIT } from '../../../schemas/errors.ts';
import { unknownSchedule } from '../../actions/run-now.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { saidState } from '../../../schemas/shown.ts';
import { whoDid } from '../../explain/why/sentence.ts';
import { findRun } from '../../ledger/schedule/read-runs.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import {
  nameRun,
  readSchedules,
  readTroubledRuns,
  type ScheduleLine,
  type TroubledRun,
} from '../../explain/read-schedules.ts';
import { act, actionCommand, type FindByWords } from '../action-command.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { withStopSignal } from '../process/stop-signal.ts';
import { textTable } from '../print/table.ts';

const list: CliCommand = {
  name: 'list',
  about: 'List schedules: what each does, its next run, and the outcome of its last',
  options: [['--all', 'also list the runs that were missed or failed, acknowledged ones included'], JSON_OPTION],
  examples: ['schedule list', 'schedule list --all', 'schedule list --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const schedules = await readSchedules(ledger, settings);
      const table = () => (schedules.length === 0 ? 'There are no schedules.' : scheduleTable(schedules));
      if (!call.options['all']) return print(call, schedules, table);
      const runs = await readTroubledRuns(ledger);
      const when = momentsIn(zoneOf(settings), ledger.clock.now());
      print(call, { schedules, runs }, () => `${table()}\n\n${troubledTable(runs, when)}`);
    });
    return EXIT.ok;
  },
};

const findSchedule: FindByWords = async (_ledger, settings, words) => {
  if (!Object.hasOwn(settings.schedules, words)) throw unknownSchedule({ settings }, words);
  return { kind: 'schedule', schedule: words };
};

const run: CliCommand = {
  ...actionCommand(
    'run-now',
    {
      name: 'run',
      about: "Make today's run of a schedule now, unless it is already made",
      takes: [['<schedule>', 'schedule of the configuration']],
      options: [['--again', 'take the files in the folders again if the run was already made']],
      notes: [
        'The run is then not made again at its regular time. The usual windows, limits and stops apply to the files that it takes.',
      ],
      examples: ['schedule run nightly', 'schedule run nightly --again'],
    },
    findSchedule,
  ),
  run: (call) => {
    const filled = call.options['again'] ? { again: 'yes' } : {};
    return withStopSignal((stop) => act(call, 'run-now', findSchedule, { filled, stop }));
  },
};

const findOneRun =
  (day: string): FindByWords =>
  async (ledger, _settings, words) => ({ kind: 'run', run: await findRun(ledger, words, day) });

const acknowledge: CliCommand = {
  ...actionCommand(
    'acknowledge-run',
    {
      name: 'acknowledge',
      about: 'Record that you took note of a run that was missed or failed, or of an expected file that did not come',
      takes: [
        ['<schedule>', 'schedule of the run; expect: and the folder for an expected file'],
        ['<date>', 'business date of the run, such as 2026-06-15'],
      ],
      notes: [
        'It leaves "paydrop status", the alarms and the lists of open work. "schedule list --all" still lists it with your reason. No run is made and no file is taken.',
      ],
      examples: [
        'schedule acknowledge nightly 2026-06-15 --reason "the server was being moved"',
        'schedule acknowledge expect:drop/dues 2026-06-15 --reason "the club pays next month"',
      ],
    },
    findOneRun(''),
  ),
  run: (call) => act(call, 'acknowledge-run', findOneRun(call.arguments[1] ?? ''), {}),
};

export const schedule: CliCommand = {
  name: 'schedule',
  about: "List schedules, make today's run now, or acknowledge a run that was missed or failed",
  commands: [list, run, acknowledge],
  examples: ['schedule list', 'schedule run nightly'],
};

function troubledTable(runs: readonly TroubledRun[], when: (at: Date) => string): string {
  if (runs.length === 0) return 'No run was missed or failed.';
  const rows = runs.map(({ schedule: name, day, state, dueAt, says, ...run }) => [
    nameRun({ schedule: name, business_date: day }),
    saidState(state),
    when(dueAt),
    says,
    run.acknowledgedAt ? `${whoDid(run.acknowledgedBy ?? '')}, ${when(run.acknowledgedAt)}` : 'no',
    run.acknowledgeReason ?? '',
  ]);
  const titles = ['Run', 'State', 'Due', 'Why', 'Acknowledged', 'Reason'];
  return `Missed and failed runs\n${textTable(titles, rows)}`;
}

function scheduleTable(lines: readonly ScheduleLine[]): string {
  const rows = lines.map(({ name, does, timeZone, nextAt, last }) => [
    name,
    does,
    nextAt ? formatInZone(nextAt, timeZone) : 'never',
    last ? `${last.day} ${last.state}` : 'none yet',
    last?.summary.says ?? '',
  ]);
  return textTable(['Schedule', 'Does', 'Next run', 'Last run', 'Why'], rows);
}
