import { EXIT } from '../../../schemas/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import { takesTwoToApprove } from '../../kernel/second-person.ts';
import { approveFile, declineFile, proposeApproval } from '../../ledger/moves/release-held.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { FaultCount } from '../../ledger/queries/fault-counts.ts';
import { readFileState } from '../../ledger/queries/read-file.ts';
import { findFile } from '../../ledger/queries/search.ts';
import type { FileRow } from '../../ledger/records.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { describeHoldReasons, readHoldReasons } from '../../operator/hold-reasons.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';

export const approve: CliCommand = {
  name: 'approve',
  about: 'Let a held file go on; its valid rows are sent',
  takes: [['<file>', 'its id, the first letters of it, or its name']],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  examples: ['approve monday.csv --reason "Ms Byron confirms 240 rows"'],
  notes: [
    'Every reason for which the file waits is printed first. Where the account asks for two persons (secondPerson), this is a proposal: the file stays held, the exit status is 3, and another person runs "paydrop confirm".',
  ],
  async run(call) {
    const reason = readReason(call, 'approve the file');
    return withLedger(call, async (ledger, settings) => {
      const file = await findFile(ledger, call.arguments[0] ?? '');
      const held = await readHoldReasons(ledger, settings, file);
      const because = { actor: operatorName(), reason, evidence: { overrides: held.map(({ code }) => code) } };
      if (!takesTwoToApprove(settings.accounts.get(file.account), file.operation)) {
        await approveFile(ledger, file.file_id, because);
        await say(call, ledger, file, { held, text: (sum) => `Approved: ${sum} ${willBeSent(held, file)}` });
        return EXIT.ok;
      }
      const proposalNo = await proposeApproval(ledger, file.file_id, because);
      const text = (sum: string) => `Proposed: ${sum}. Another person runs "paydrop confirm ${proposalNo}".`;
      await say(call, ledger, file, { held, proposalNo, text });
      return EXIT.held;
    });
  },
};

/** What the send journal knows stays for good, so a person who approves has to end it. */
function willBeSent(held: readonly FaultCount[], { file_id: fileId }: FileRow): string {
  const sent = 'will be sent, by a paydrop that runs or by "paydrop run --once"';
  if (!held.some(({ code }) => code === 'SENT_BEFORE')) return `${sent}.`;
  return `${sent}, except what was sent before: those batches never leave, and "paydrop why ${fileId}" says how to end them.`;
}

export const decline: CliCommand = {
  ...approve,
  name: 'decline',
  about: 'Stop a held file for good; nothing of it is sent',
  examples: ['decline monday.csv --reason "sent twice by mistake"'],
  notes: [],
  async run(call) {
    const reason = readReason(call, 'decline the file');
    return withLedger(call, async (ledger) => {
      const file = await findFile(ledger, call.arguments[0] ?? '');
      await declineFile(ledger, file.file_id, { actor: operatorName(), reason });
      await say(call, ledger, file, { text: (sum) => `Declined: ${sum} will never be sent.` });
      return EXIT.ok;
    });
  },
};

type Said = { held?: readonly FaultCount[]; proposalNo?: number; text: (sum: string) => string };

async function say(call: Call, ledger: Ledger, file: FileRow, { held = [], text, ...more }: Said): Promise<void> {
  const { file_id: fileId, name, valid_rows: rows, valid_cents: cents, invalid_rows: withheldRows } = file;
  const state = await readFileState(ledger, fileId);
  print(call, { fileId, name, state, rows, cents, withheldRows, held, ...more }, () =>
    [describeHoldReasons(held), text(describeRows(file))].filter(Boolean).join('\n'),
  );
}

/** A person who approves must see that invalid rows stay behind all the same. */
function describeRows({ valid_rows: rows, valid_cents: cents, invalid_rows: withheld }: FileRow): string {
  const valid = `${rows ?? 0} valid ${rows === 1 ? 'row' : 'rows'} with a total of ${formatCents(cents ?? 0)}`;
  return withheld ? `${valid} (${withheld} more ${withheld === 1 ? 'is' : 'are'} invalid and withheld)` : valid;
}
