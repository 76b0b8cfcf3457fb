import type { Defect } from './defects.ts';

/** At the edges: what a person or a spreadsheet does with a file. */
export const EDGE_DEFECTS: readonly Defect[] = [
  {
    name: 'numbers shown in withheld rows',
    about: 'the outputs trust the columns of rows that were withheld',
    file: 'workers/deliver/write-rows.ts',
    find: 'const isValid = rows.pack.batchNos[rows.packFrom + place] !== NO_BATCH;',
    replace: 'const isValid = rows.pack.batchNos[rows.packFrom + place] !== undefined;',
    caughtBy: ['test/pipeline/bad-input.test.ts'],
  },
  {
    name: 'apostrophe kept',
    about: 'what was put before a formula in the outputs stays when a row is dropped again',
    file: 'src/csv/guard-cell.ts',
    find: 'FORMULA.test(text) ? text.slice(1) : cell;',
    replace: 'FORMULA.test(text) ? text : cell;',
    caughtBy: ['test/csv/guard-cell.test.ts', 'test/pipeline/outputs-again.test.ts'],
  },
  {
    name: 'invoices compared to the letter',
    about: 'a payment whose invoice is written in another way is not known again',
    file: 'src/vault/row-print.ts',
    find: 'const middle = loosenText(bytes, invoiceFrom, invoiceTo, scratch, 0);',
    replace: 'const middle = copyBytes(bytes, invoiceFrom, invoiceTo, scratch, 0);',
    caughtBy: ['test/vault/row-print.test.ts', 'test/pipeline/duplicates.test.ts'],
  },
  {
    name: 'other kinds of payer not looked at',
    about: 'a payment by card is not known again when it comes by customer code',
    file: 'src/ledger/queries/find-charged-rows.ts',
    find: "${find('p.print >= s.first AND p.print < s.beyond')}",
    replace: "${find('p.print >= s.first AND p.print < s.first')}",
    caughtBy: ['test/ledger/flag-charged-rows.test.ts', 'test/pipeline/duplicates.test.ts'],
  },
  {
    name: 'rest of an armored file not read',
    about: 'what stands behind the first message of a file is dropped without a word',
    file: 'src/pgp/watch-armor.ts',
    find: "if (text === END) place = 'behind';",
    replace: "if (text === END) place = 'binary';",
    caughtBy: ['test/pgp/watch-armor.test.ts', 'test/pgp/check-message.test.ts'],
  },
  {
    name: 'confusable rows in one batch',
    about: 'rows of one invoice and amount whose numbers end alike are sent together',
    file: 'workers/intake/cut-bodies.ts',
    find: 'if (confusable.isConfusable(group, starts[row]!)) return row;',
    replace: 'if (confusable.isConfusable(group, starts[row]!) && row < 0) return row;',
    caughtBy: ['test/workers/intake/cut-bodies.test.ts', 'test/pipeline/drop-to-result.test.ts'],
  },
];
