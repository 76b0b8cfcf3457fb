import { userInfo } from 'node:os';
import { EXIT } from '../../../schemas/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import { approveFile, declineFile } from '../../ledger/moves/release-held.ts';
import { findFile } from '../../ledger/queries/search.ts';
import { type Call, type CliCommand, withLedger } from '../command.ts';

export const approve: CliCommand = {
  name: 'approve <file>',
  about: 'Let a held file go on; its valid rows are sent',
  required: [['--reason <text>', 'why, for the audit trail']],
  run: (call) =>
    release(call, approveFile, (rows, total) => `Approved: ${rows} rows, ${total}. A running paydrop sends them.`),
};

export const decline: CliCommand = {
  name: 'decline <file>',
  about: 'Stop a held file for good; nothing of it is sent',
  required: [['--reason <text>', 'why, for the audit trail']],
  run: (call) => release(call, declineFile, (rows, total) => `Declined: ${rows} rows, ${total}, were not sent.`),
};

async function release(
  call: Call,
  move: typeof approveFile,
  say: (rows: number, total: string) => string,
): Promise<number> {
  await withLedger(call, async (ledger) => {
    const file = await findFile(ledger, call.arguments[0] ?? '');
    const actor = `operator:${userInfo().username}`;
    await move(ledger, file.file_id, { actor, reason: String(call.options['reason']) });
    console.log(say(file.valid_rows ?? 0, formatCents(file.valid_cents ?? 0)));
  });
  return EXIT.ok;
}
