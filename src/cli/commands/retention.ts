import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { cleanStorage, IN_A_QUIET_HOUR } from '../../ledger/retention/clean-storage.ts';
import { startOfDay } from '../../calendar/zone-time.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { describeRetention } from '../retention/describe-retention.ts';
import { isClean, readRetention } from '../retention/read-retention.ts';

const report: CliCommand = {
  name: 'report',
  about: 'Proof of what was destroyed when, what is due, and whether anything is left that should be gone',
  options: [
    ['--from <day>', 'first day, such as 2026-07-01, in UTC; left out, 92 days back'],
    ['--to <day>', 'last day; left out, today'],
    JSON_OPTION,
  ],
  notes: [
    'Compares the ledger with the archive folder of this host; run it on every host that has one. Exit status 5 when something is left that should be gone. For each key it says since when the files of the database and of its log are rid of it, or that this is not proved.',
  ],
  examples: ['retention report', 'retention report --from 2026-07-01 --to 2026-09-30 --json'],
  async run(call) {
    return withLedger(call, async (ledger, settings) => {
      const nowMs = ledger.clock.now().getTime();
      const from = readDay(call, 'from') ?? new Date(nowMs - QUARTER_DAYS * DAY_MS);
      const last = readDay(call, 'to');
      const to = last ? new Date(last.getTime() + DAY_MS) : new Date(nowMs);
      const found = await readRetention(ledger, settings, { from, to });
      print(call, { clean: isClean(found), ...found }, () => describeRetention(found));
      return isClean(found) ? EXIT.ok : EXIT.exception;
    });
  },
};

const clean: CliCommand = {
  name: 'clean',
  about: 'Rewrite the tables that still hold destroyed keys or fingerprints, however large they are',
  options: [JSON_OPTION],
  notes: [
    'paydrop start does this by itself, once an hour, while the tables are not large. Nothing is taken in while a table is rewritten, so choose a quiet hour. Exit status 5 when a table could not be cleaned.',
  ],
  examples: ['retention clean', 'retention clean --json'],
  async run(call) {
    return withLedger(call, async (ledger) => {
      const found = Object.entries(await cleanStorage(ledger, IN_A_QUIET_HOUR));
      const tables = found.map(([table, why]) => ({ table, isClean: why === undefined, why: why ?? null }));
      print(call, { tables }, () => describeCleaned(tables));
      return tables.every(({ isClean: done }) => done) ? EXIT.ok : EXIT.exception;
    });
  },
};

function describeCleaned(tables: readonly { table: string; why: string | null }[]): string {
  if (tables.length === 0) return 'There was nothing to clean.';
  return tables
    .map(({ table, why }) =>
      why === null
        ? `${table}: rewritten; nothing that was destroyed is left in its files.`
        : `${table}: not cleaned: ${why}.`,
    )
    .join('\n');
}

const DAY_MS = 86_400_000;
const QUARTER_DAYS = 92;

export const retention: CliCommand = {
  name: 'retention',
  about: 'How long originals are kept, and the proof that they are gone afterwards',
  commands: [report, clean],
  examples: ['retention report', 'retention clean'],
};

function readDay(call: Call, name: 'from' | 'to'): Date | undefined {
  const text = call.options[name];
  if (text === undefined) return undefined;
  const at = startOfDay(String(text), 'UTC');
  if (at) return at;
  const next = 'Write a day such as 2026-06-15.';
  throw new PipelineError('USAGE', `use --${name} "${String(text)}"`, 'it is no day', { next });
}
