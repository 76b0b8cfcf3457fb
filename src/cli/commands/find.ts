import { EXIT, saidCode } from '../../../schemas/errors.ts';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { saidAnswer } from '../../../schemas/rejections.ts';
import { formatCents } from '../../kernel/money.ts';
import { findInvoice, type FoundRow } from '../../ledger/file/search.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { textTable } from '../print/table.ts';

export const find: CliCommand = {
  name: 'find',
  about: 'What happened to an invoice: every row that ever came with it',
  required: [['--invoice <number>', 'invoice number, exactly as in the file']],
  options: [JSON_OPTION],
  examples: ['find --invoice C-1002', 'find --invoice C-1002 --json'],
  async run(call) {
    const rows = await withLedger(call, (ledger) => findInvoice(ledger, String(call.options['invoice'])));
    print(call, rows, () =>
      rows.length === 0 ? 'No file had this invoice.' : textTable(TITLES, rows.map(describe), [3]),
    );
    return EXIT.ok;
  },
};

const TITLES = ['Claimed', 'File', 'Line', 'Amount', 'Payer', 'Outcome', 'Message'];

function describe(row: FoundRow): string[] {
  return [
    row.claimedAt.toISOString(),
    `${row.fileId} ${row.name}`,
    String(row.line),
    row.amountCents === null ? 'unreadable' : formatCents(row.amountCents),
    row.customerCode || (row.lastFour ? `…${row.lastFour}` : ''),
    outcomeOf(row),
    row.message === null ? row.faults.map(saidCode).join('; ') : saidAnswer(row.message, row.code),
  ];
}

/** Without an outcome, the state of the batch or file stands in. */
function outcomeOf(row: FoundRow): string {
  if (row.outcome) return OUTCOMES[row.outcome as Outcome].label;
  if (row.batchNo === null) return row.fileState === 'rejected' ? 'file rejected' : OUTCOMES.invalid.label;
  return row.batchState ?? `file ${row.fileState}`;
}
