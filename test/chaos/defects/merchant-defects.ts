import type { Defect } from './defects.ts';

const RULES = ['test/ledger/merchant/merchant-rules.test.ts'];
const RENAMES = ['test/ledger/merchant/rename-accounts.test.ts'];
const BINDS = ['test/ledger/merchant/bind-accounts.test.ts'];

/** Defects of who is charged: a name in paydrop.yaml stands for the merchant, or work goes to another merchant. */
export const MERCHANT_DEFECTS: readonly Defect[] = [
  {
    name: 'payments recognized by the name of the account',
    about: 'a second name for a merchant does not recognize what was charged',
    file: 'workers/intake/fingerprint-row.ts',
    find: 'fingerprintKey(fingerprint, boundOf(ledger, account).agentMark, operation)',
    replace: 'fingerprintKey(fingerprint, boundOf(ledger, account) && account, operation)',
    caughtBy: ['test/workers/merchants.test.ts'],
  },
  {
    name: 'same bytes under another name',
    about: 'a file that was sent is taken again under a second name of its merchant',
    file: 'src/ledger/duplicates/find-duplicate.ts',
    find: 'WHERE merchant_no = (SELECT merchant_of($1)) AND (sha256 = $2 OR coalesce',
    replace: 'WHERE account = $1 AND (sha256 = $2 OR coalesce',
    caughtBy: RULES,
  },
  {
    name: 'taken up with another meaning',
    about: 'a process with another configuration takes up a batch',
    file: 'src/ledger/batch/prepare-batch.ts',
    find: "AND ${isBound('$4')} AND (not_before",
    replace: 'AND cardinality($4::text[]) >= 0 AND (not_before',
    caughtBy: RULES,
  },
  {
    name: 'sent with another meaning',
    about: 'a batch leaves although its name came to mean another merchant while connecting',
    file: 'src/ledger/batch/send-batch.ts',
    find: "AND ${isBound('$4')} AND ${MAY_LEAVE}",
    replace: 'AND cardinality($4::text[]) >= 0 AND ${MAY_LEAVE}',
    caughtBy: RULES,
  },
  {
    name: 'another merchant asked',
    about: 'the answer of another merchant is believed',
    file: 'src/ledger/merchant/bound-accounts.ts',
    find: 'if (bound.get(account)?.merchantNo !== merchantNo) throw',
    replace: 'if (bound.get(account)?.merchantNo !== merchantNo && merchantNo < 0) throw',
    caughtBy: [...RULES, 'test/workers/merchants.test.ts'],
  },
  {
    name: 'work of a changed meaning keeps its name',
    about: 'waiting work stays under a name that means another merchant now',
    file: 'src/ledger/merchant/rename-accounts.ts',
    find: '    else if (now) moves.push({ from: row, to: await freeFormerName(tx, row.account) });\n',
    replace: '    else if (now) await freeFormerName(tx, row.account);\n',
    caughtBy: RENAMES,
  },
  {
    name: 'stops stay with the former name',
    about: 'a renamed account sends although it was stopped',
    file: 'src/ledger/merchant/rename-accounts.ts',
    find: '  await moveStops(tx, from, to);\n',
    replace: '  void moveStops;\n',
    caughtBy: RENAMES,
  },
  {
    name: 'another address not asked about',
    about: 'what was sent is not recognized after the service moved',
    file: 'src/ledger/merchant/bind-accounts.ts',
    find: '        place.mark !== account.mark &&\n',
    replace: '        place.mark !== account.mark && place.merchantNo < 0 &&\n',
    caughtBy: BINDS,
  },
  {
    name: 'what a sandbox was sent counts',
    about: 'a trial in a sandbox passes for what was charged',
    file: 'src/ledger/merchant/bind-accounts.ts',
    find: '(isSandbox === undefined || place.isSandbox === isSandbox)',
    replace: '(isSandbox === undefined || place.isSandbox !== undefined)',
    caughtBy: BINDS,
  },
  {
    name: 'each name moved by itself',
    about: 'two names of a merchant that moved cannot be answered, and stay stopped',
    file: 'src/ledger/merchant/answer-address.ts',
    find: '        merchants.get(question.mark) ??\n',
    replace: '        merchants.get(question.account) ??\n',
    caughtBy: BINDS,
  },
  {
    name: 'journal without the merchant',
    about: 'a restored ledger does not find whom a call was for',
    file: 'workers/submit/submit.ts',
    find: '    merchant: boundOf(app.ledger, batch.account).mark,\n',
    replace: '',
    caughtBy: ['test/workers/merchants.test.ts'],
  },
  {
    name: 'forgotten call held against a name',
    about: 'a forgotten call stops the merchant that its name means now, and not the one that was called',
    file: 'src/ledger/doubt/recall-batch.ts',
    find: 'await withPresentNames(tx, await findMissing(tx.client, entries))',
    replace: '[...(await findMissing(tx.client, entries)), ...(await withPresentNames(tx, []))]',
    caughtBy: RULES,
  },
  {
    name: 'one call for each name',
    about: 'the database lets two calls of a merchant be in flight under two names',
    file: 'schemas/ledger/send.sql',
    find: 'one_call_in_flight ON batch (merchant_no)',
    replace: 'one_call_in_flight ON batch (account)',
    caughtBy: RULES,
  },
];
