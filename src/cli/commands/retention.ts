import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { startOfDay } from '../../kernel/zone-time.ts';
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
    'Compares the ledger with the archive folder of this host; run it on every host that has one. Exit status 5 when something is left that should be gone.',
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

const DAY_MS = 86_400_000;
const QUARTER_DAYS = 92;

export const retention: CliCommand = {
  name: 'retention',
  about: 'How long originals are kept, and the proof that they are gone afterwards',
  commands: [report],
  examples: ['retention report'],
};

function readDay(call: Call, name: 'from' | 'to'): Date | undefined {
  const text = call.options[name];
  if (text === undefined) return undefined;
  const at = startOfDay(String(text), 'UTC');
  if (at) return at;
  const next = 'Write a day such as 2026-06-15.';
  throw new PipelineError('USAGE', `use --${name} "${String(text)}"`, 'it is no day', { next });
}
