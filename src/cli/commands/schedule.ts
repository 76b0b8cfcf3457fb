import { EXIT } from '../../../schemas/errors.ts';
import { type RanNow, runNow } from '../../../workers/schedule/run-now.ts';
import { nextDate } from '../../kernel/business-dates.ts';
import type { Settings } from '../../kernel/config.ts';
import { formatInZone } from '../../kernel/zone-time.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { readLastRun } from '../../ledger/queries/read-runs.ts';
import type { RunSummary } from '../../ledger/records.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf, withLedger } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { operatorName } from '../operator-name.ts';
import { withStopSignal } from '../stop-signal.ts';
import { textTable } from '../table.ts';
import { withApp } from '../with-app.ts';

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

type ScheduleLine = {
  name: string;
  does: string;
  timeZone: string;
  nextAt: Date | null;
  last: { day: string; state: string; summary: RunSummary } | null;
};

async function readSchedules(ledger: Ledger, { schedules }: Settings): Promise<ScheduleLine[]> {
  const lines: ScheduleLine[] = [];
  for (const [name, times] of Object.entries(schedules)) {
    const last = await readLastRun(ledger, name);
    // Today's run may have been made before its time.
    const next = nextDate(times, ledger.clock.now());
    const isMade = last !== undefined && next?.day === last.business_date;
    const nextAt = isMade && next ? nextDate(times, next.at)?.at : next?.at;
    lines.push({
      name,
      does: times.does,
      timeZone: times.timeZone,
      nextAt: nextAt ?? null,
      last: last ? { day: last.business_date, state: last.state, summary: last.summary } : null,
    });
  }
  return lines;
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

/** Without the token, which is nobody's business. */
function shownRun(ran: RanNow): unknown {
  if (!('run' in ran)) return ran;
  const { state, summary, tries } = ran.run;
  return { is: ran.is, day: ran.day, state, summary, tries };
}

function sayRan(name: string, ran: RanNow): string {
  switch (ran.is) {
    case 'made':
      return `The run of ${name} for ${ran.day} is ${ran.run.state}: ${summaryOf(ran.run.summary)}.`;
    case 'made before':
      return `The run of ${name} for ${ran.day} was made before: ${summaryOf(ran.run.summary)}. Nothing was done.`;
    case 'taken again':
      return ran.taken ? `Taken once more: ${countFiles(ran.taken.files)}.` : 'Stopped before everything was taken.';
    case 'busy':
      return `The run of ${name} is being made at this moment. Nothing was done.`;
    case 'no business day':
      return `${ran.day} is no business day of ${name}. Nothing was done.`;
  }
}

function summaryOf({ says, files, settling, difference }: RunSummary): string {
  const parts = [
    files === undefined ? '' : `${countFiles(files)} taken`,
    settling ? `${settling} still being written` : '',
    difference ? `difference ${difference.rows} rows, ${difference.total}` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : (says ?? 'no more is known');
}

function countFiles(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}
