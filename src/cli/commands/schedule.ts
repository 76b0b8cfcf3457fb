import { EXIT } from '../../../schemas/errors.ts';
import { runNow } from '../../actions/run-now.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { readSchedules, type ScheduleLine } from '../../explain/read-schedules.ts';
import { sayRan, shownRun } from '../../actions/say-run.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf, withLedger } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { operatorName } from '../operator-name.ts';
import { withStopSignal } from '../process/stop-signal.ts';
import { textTable } from '../print/table.ts';
import { withApp } from '../process/with-app.ts';

const list: CliCommand = {
  name: 'list',
  about: 'Every schedule: what it does, when it runs next, and what became of its last run',
  options: [JSON_OPTION],
  examples: ['schedule list', 'schedule list --json'],
  async run(call) {
    const lines = await withLedger(call, readSchedules);
    print(call, lines, () => (lines.length === 0 ? 'There are no schedules.' : scheduleTable(lines)));
    return EXIT.ok;
  },
};

const run: CliCommand = {
  name: 'run',
  about: "Make today's run of a schedule now, if it was not made",
  takes: [['<schedule>', 'schedule of the configuration']],
  options: [['--again', 'take once more what lies in the folders, when the run was made before'], JSON_OPTION],
  notes: [
    'Made before its time, the run is not made again when that comes. What it takes is sent by the same rules as ever: windows, limits and stops hold.',
  ],
  examples: ['schedule run nightly', 'schedule run nightly --again'],
  async run(call) {
    const [name = ''] = call.arguments;
    const options = { log: openCommandLog('warn'), env: process.env };
    const ran = await withStopSignal((stop) =>
      withApp(settingsOf(call), options, (app) =>
        runNow(app, name, {
          because: { actor: operatorName(), reason: 'asked for by hand' },
          again: call.options['again'] === true,
          stop,
        }),
      ),
    );
    print(call, shownRun(ran), () => sayRan(name, ran));
    return ran.is === 'made' && ran.run.state === 'failed' ? EXIT.exception : EXIT.ok;
  },
};

export const schedule: CliCommand = {
  name: 'schedule',
  about: 'What happens once on each business date: see it, or make the run of today now',
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
