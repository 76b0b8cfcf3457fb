import { EXIT } from '../../../schemas/errors.ts';
import { unknownSchedule } from '../../actions/run-now.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { readSchedules, type ScheduleLine } from '../../explain/read-schedules.ts';
import { act, actionCommand, type FindByWords } from '../action-command.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { withStopSignal } from '../process/stop-signal.ts';
import { textTable } from '../print/table.ts';

const list: CliCommand = {
  name: 'list',
  about: 'List schedules: what each does, its next run, and the outcome of its last',
  options: [JSON_OPTION],
  examples: ['schedule list', 'schedule list --json'],
  async run(call) {
    const lines = await withLedger(call, readSchedules);
    print(call, lines, () => (lines.length === 0 ? 'There are no schedules.' : scheduleTable(lines)));
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

export const schedule: CliCommand = {
  name: 'schedule',
  about: "List schedules, or make today's run now",
  commands: [list, run],
  examples: ['schedule list', 'schedule run nightly'],
};

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
