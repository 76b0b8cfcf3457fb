import { EXIT } from '../../../schemas/errors.ts';
import { declineFile } from '../../ledger/file/release-held.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import type { FaultCount } from '../../ledger/row/fault-counts.ts';
import { readFileState } from '../../ledger/file/read-file.ts';
import { findFile } from '../../ledger/file/search.ts';
import type { FileRow } from '../../ledger/engine/records.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { describeHoldReasons } from '../../explain/hold-reasons.ts';
import { describeRows, approveOrPropose, willBeSent } from '../../actions/approve-or-propose.ts';
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
      const { held, proposalNo } = await approveOrPropose(ledger, settings, file, { actor: operatorName(), reason });
      if (proposalNo === undefined) {
        await say(call, ledger, file, { held, text: (sum) => `Approved: ${sum} ${willBeSent(held, file)}` });
        return EXIT.ok;
      }
      const text = (sum: string) => `Proposed: ${sum}. Another person runs "paydrop confirm ${proposalNo}".`;
      await say(call, ledger, file, { held, proposalNo, text });
      return EXIT.held;
    });
  },
};

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
