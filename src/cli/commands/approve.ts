import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { formatCents } from '../../kernel/money.ts';
import { approveFile, declineFile } from '../../ledger/moves/release-held.ts';
import { readFileState } from '../../ledger/queries/read-file.ts';
import { findFile } from '../../ledger/queries/search.ts';
import type { FileRow } from '../../ledger/records.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { operatorName } from '../operator-name.ts';

export const approve: CliCommand = {
  name: 'approve',
  about: 'Let a held file go on; its valid rows are sent',
  takes: [['<file>', 'its id, the first letters of it, or its name']],
  required: [['--reason <text>', 'why, for the audit trail']],
  options: [JSON_OPTION],
  examples: ['approve monday.csv --reason "Ms Byron confirms 240 rows"'],
  run: (call) =>
    release(
      call,
      approveFile,
      (sum) => `Approved: ${sum} will be sent, by a paydrop that runs or by "paydrop run --once".`,
    ),
};

export const decline: CliCommand = {
  ...approve,
  name: 'decline',
  about: 'Stop a held file for good; nothing of it is sent',
  examples: ['decline monday.csv --reason "sent twice by mistake"'],
  run: (call) => release(call, declineFile, (sum) => `Declined: ${sum} will never be sent.`),
};

async function release(call: Call, move: typeof approveFile, say: (sum: string) => string): Promise<number> {
  const [words = ''] = call.arguments;
  const reason = hideNumbers(String(call.options['reason']).trim());
  if (reason === '') throw new PipelineError('USAGE', 'move the file', '--reason is empty', { next: 'Say why.' });
  await withLedger(call, async (ledger) => {
    const file = await findFile(ledger, words);
    await move(ledger, file.file_id, { actor: operatorName(), reason });
    const { file_id: fileId, name, valid_rows: rows, valid_cents: cents, invalid_rows: withheldRows } = file;
    const state = await readFileState(ledger, fileId);
    print(call, { fileId, name, state, rows, cents, withheldRows }, () => say(describeRows(file)));
  });
  return EXIT.ok;
}

/** The audit trail keeps the reason for years. A card or account number must not stand in it, a date should. */
function hideNumbers(text: string): string {
  return /\d(?:[ .-]?\d){11}/.test(text) ? maskText(text) : text;
}

/** A person who approves must see that invalid rows stay behind all the same. */
function describeRows({ valid_rows: rows, valid_cents: cents, invalid_rows: withheld }: FileRow): string {
  const valid = `${rows ?? 0} valid ${rows === 1 ? 'row' : 'rows'} with a total of ${formatCents(cents ?? 0)}`;
  return withheld ? `${valid} (${withheld} more ${withheld === 1 ? 'is' : 'are'} invalid and withheld)` : valid;
}
