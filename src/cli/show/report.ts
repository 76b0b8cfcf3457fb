import { basename, dirname, resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { csvLines } from '../../csv/write/write-csv.ts';
import { writeOutput } from '../../files/outputs/write-output.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { isBalanced } from '../../reconcile/balance-day.ts';
import {
  DAY_AMOUNT_AT,
  DAY_TITLES,
  type DayReport,
  dayReportCells,
  dayReportJson,
  dayReportText,
} from '../../reconcile/outputs/day-report.ts';
import { type Call, type CliCommand, JSON_OPTION, readLedger } from '../command.ts';
import { putOut } from '../print/say.ts';

export const report: CliCommand = {
  name: 'report',
  about: 'Report the day of each account: brought forward + accepted = final + open, to the cent',
  options: [
    ['--day <day>', 'the day in the zone of the account, such as 2026-11-20; left out, today'],
    ['--account <name>', 'this account only'],
    ['--format <format>', 'text, json or csv', 'text'],
    ['--out <file>', 'write it to a new file'],
    JSON_OPTION,
  ],
  notes: [
    'A past day is reported as of its end. A difference means that rows or money were lost or added, or that the ledger was changed by hand: exit status 5.',
  ],
  examples: ['report --day 2026-11-20', 'report --day 2026-11-20 --account main --format csv --out november-20.csv'],
  async run(call) {
    const write = writerOf(call);
    const reports = await readLedger(call, async (ledger, settings) => {
      const days: DayReport[] = [];
      for (const account of accountsOf(call, settings)) {
        const day = call.options['day'] ?? dayInZone(ledger.clock.now(), account.timeZone);
        days.push(await readDayReport(ledger, account, String(day), settings));
      }
      return days;
    });
    await putReport(call, write(reports));
    return reports.every(isBalanced) ? EXIT.ok : EXIT.exception;
  },
};

type Write = (reports: readonly DayReport[]) => string;

const WRITERS: Readonly<Record<string, Write>> = {
  text: dayReportText,
  json: (reports) => `${JSON.stringify(dayReportJson(reports), null, 2)}\n`,
  csv: (reports) => {
    const line = csvLines({ guard: true });
    const amountAt = new Set([DAY_AMOUNT_AT]);
    return [DAY_TITLES, ...reports.flatMap(dayReportCells)].map((cells) => line(cells, amountAt)).join('');
  },
};

function writerOf(call: Call): Write {
  const format = call.options['json'] ? 'json' : String(call.options['format']);
  const write = Object.hasOwn(WRITERS, format) ? WRITERS[format] : undefined;
  if (write) return write;
  throw new PipelineError('USAGE', 'write the report', '--format must be text, json or csv');
}

function accountsOf(call: Call, { accounts }: Settings) {
  const name = call.options['account'];
  if (name === undefined) return [...accounts.values()];
  const account = accounts.get(String(name));
  if (account) return [account];
  throw new PipelineError('NOT_FOUND', 'report the day', '--account is not in the configuration', {
    next: `Accounts: ${[...accounts.keys()].join(', ')}.`,
  });
}

/** Writes the report as safely as any output: whole or not at all, and never over another file. */
async function putReport(call: Call, text: string): Promise<void> {
  const file = call.options['out'];
  if (file === undefined) return putOut(text);
  const path = resolve(String(file));
  await writeOutput({
    dir: dirname(path),
    name: basename(path),
    write: async (out) => {
      out.write(text);
    },
  });
}
