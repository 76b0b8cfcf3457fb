import { describe, expect, it } from 'vitest';
import { readJournalCsv } from '../../../src/gateway/reports/read-journal-csv.ts';
import { readJournalXml } from '../../../src/gateway/reports/create-report-client.ts';
import type { ServiceAnswer } from '../../../src/gateway/soap/read-answer.ts';

const CARDS = { row: { method: 'card', list: 'approved' }, server: 'NA' } as const;
/** As recorded. */
const DAY =
  'Invoice,Date,Agent,Customer Code,CCType,First Name, Last Name, Card Number, Expire, Total, Result, Detail,Transaction ID\r\n';
const DAY_ROW = `INV-1,06/15/2017 10:11:12,TEST88,"",VISA,"Ada","Byron",'4***********2220,'12/20,5.00,OK:678594:, ,A9000001\r\n`;
const RANGE =
  'Transaction ID,Invoice Number,Date Time,Client Code,Customer Code,Method of Payment,Amount,Result,Comment,Journal Id,ACH Ref.\r\n';
const RANGE_ROW = 'A9000001,INV-1,15/06/2017 10:11:12,UDDD88,"Quick Client",VISA,5.00,OK:678594:,"a, ""b""",77,\r\n';

const LINE = {
  transactionId: 'A9000001',
  invoice: 'INV-1',
  at: { text: '06/15/2017 10:11:12', utc: '2017-06-15T17:11:12.000Z' },
  customerCode: '',
  paymentMethod: 'VISA',
  amountCents: 500,
  result: 'OK:678594:',
  outcome: 'approved',
  lastFour: '2220',
  comment: '',
};

const brokenLine = (line: number) => `line ${line} of the report is not as its titles say`;

describe('readJournalCsv', () => {
  it('reads the journal of a day', () => {
    const csv = DAY + DAY_ROW;
    expect(readJournalCsv(csv, CARDS)).toEqual({ kind: 'read', entries: [LINE], csv });
  });

  it('reads the journal of a range', () => {
    const csv = RANGE + RANGE_ROW;
    const at = { text: '15/06/2017 10:11:12', utc: '2017-06-15T09:11:12.000Z' };
    const line = { ...LINE, at, lastFour: '', comment: 'a, "b"' };
    expect(readJournalCsv(csv, { ...CARDS, server: 'UK' })).toEqual({ kind: 'read', entries: [line], csv });
  });

  it('reads the journal of bank payments', () => {
    const csv = `${DAY.replace('CCType', 'Account Type').replace(' Card Number, Expire', ' Account Number')}I-1,06/15/2017 10:11:12,TEST88,"",CHECKING,"Ada","Byron",'0****0001,5.00,OK:555555:, ,A9000001\r\n`;
    const banks = { row: { method: 'bank', list: 'approved' }, server: 'NA' } as const;
    expect(entriesOf(csv, banks)).toMatchObject([
      { paymentMethod: 'CHECKING', lastFour: '0001', amountCents: 500, outcome: 'accepted' },
    ]);
  });

  it.each([
    ['an empty file', ''],
    ['blank lines', '\r\n\r\n'],
    ['titles alone', DAY],
    ['titles without a line end', DAY.trim()],
  ])('finds no payment in %s', (_what, text) => {
    expect(entriesOf(text)).toEqual([]);
  });

  it.each([
    ['a byte order mark', `\ufeff${DAY}${DAY_ROW}`],
    ['line feeds alone', (DAY + DAY_ROW).replaceAll('\r\n', '\n')],
    ['no line end at the end', (DAY + DAY_ROW).trim()],
    ['blank lines between', `${DAY}\r\n${DAY_ROW}\r\n`],
    ['titles in another case', DAY.toUpperCase() + DAY_ROW],
    ['columns that we do not know', DAY.replace('Invoice', 'New,Invoice') + DAY_ROW.replace('INV-1', '"x,y",INV-1')],
    ['one more empty cell', DAY + DAY_ROW.replace('\r\n', ',\r\n')],
    [
      'another order, and only what is needed',
      'Transaction ID,Result,Total,Date,Customer Code,Invoice,CCType,Card Number\r\n' +
        "A9000001,OK:678594:,5.00,06/15/2017 10:11:12,Quick Client,INV-1,VISA,'4***********2220\r\n",
    ],
  ])('bears %s', (_what, text) => {
    expect(entriesOf(text)).toEqual([LINE]);
  });

  it.each([
    ['Invoice,', 'the report has no column Invoice or Invoice Number'],
    [',Date', 'the report has no column Date or Date Time'],
    [',Customer Code', 'the report has no column Customer Code'],
    [', Total', 'the report has no column Total or Amount'],
    [', Result', 'the report has no column Result'],
    [',Transaction ID', 'the report has no column Transaction ID'],
  ])('names the column that is missing without %j', (title, why) => {
    expect(readJournalCsv(DAY.replace(title, ''), CARDS)).toEqual({ kind: 'unreadable', why });
  });

  it.each([
    ['a line that is cut', `${DAY}${DAY_ROW}INV-2,06/15/2017 10`, brokenLine(3)],
    ['a quote that stays open', `${DAY}${DAY_ROW.replace('"Byron"', '"Byron')}`, brokenLine(2)],
    ['bytes that are no text', `${DAY}${DAY_ROW.replace('Ada', '\ufffd')}`, brokenLine(2)],
    ['a web page', '<html>\r\nService Unavailable', 'the report has no column Transaction ID'],
    ['two results', DAY.replace('Detail', 'Result') + DAY_ROW, 'the report has more than one column Result'],
    [
      'both dates',
      DAY.replace('Detail', 'Date Time') + DAY_ROW,
      'the report has more than one column Date or Date Time',
    ],
  ])('takes nothing from %s', (_what, text, why) => {
    expect(readJournalCsv(text, CARDS)).toEqual({ kind: 'unreadable', why });
  });

  it.each([
    ['4***********2220', 'a card number', '4222222222222220', '************2220'],
    ['4***********2220', 'a card number with spaces', '4222 2222 2222 2220', '**** **** **** 2220'],
    ['4***********2220', 'a short account number', '12345', '***45'],
  ])('masks in column %s %s that came whole', (masked, _what, whole, shown) => {
    const read = readJournalCsv(DAY + DAY_ROW.replace(masked, whole), CARDS);
    expect(read).toMatchObject({ kind: 'read', csv: DAY + DAY_ROW.replace(masked, shown) });
    expect(JSON.stringify(read)).not.toContain(whole);
  });

  it('takes the guard of spreadsheets away where it is none of the text', () => {
    expect(entriesOf(RANGE + RANGE_ROW.replace('"a, ""b"""', `"'=1+1"`))).toMatchObject([{ comment: '=1+1' }]);
    expect(entriesOf(RANGE + RANGE_ROW.replace('"a, ""b"""', `"'tis"`))).toMatchObject([{ comment: "'tis" }]);
    expect(entriesOf(RANGE + RANGE_ROW.replace('INV-1', "'=1"))).toMatchObject([{ invoice: "'=1" }]);
  });
});

function entriesOf(text: string, source: Parameters<typeof readJournalCsv>[1] = CARDS): unknown {
  const read = readJournalCsv(text, source);
  return read.kind === 'read' ? read.entries : read.why;
}

const TN = {
  TNTYP: 'CreditCard',
  TNID: 'A9000001',
  AGT: 'TEST88',
  CST: { CSTC: 'Quick Client', FN: 'Ada', LN: 'Byron' },
  CC: { CSTN: 'Ada Byron', MP: 'VISA', CCN: '4***********2220', EXP: '12/20' },
  INV: 'INV-1',
  DTM: '2017-06-15T10:11:12',
  IT1: null,
  AMT: '5.00',
  RST: 'OK:678594:',
  CM: null,
};
const XML_LINE = { ...LINE, at: { text: '2017-06-15T10:11:12', utc: '2017-06-15T17:11:12.000Z' } };
const NOT_TRANSACTIONS = 'the journal holds something else than transactions';
const TWO_THINGS = 'a transaction of the journal says two things at once';
const UNNAMED = { ...XML_LINE, paymentMethod: 'CreditCard', lastFour: '' };

describe('readJournalXml', () => {
  it.each([
    ['nothing', null, []],
    ['one transaction', { TN }, [XML_LINE]],
    ['two transactions', { TN: [TN, { ...TN, INV: 'INV-2' }] }, [XML_LINE, { ...XML_LINE, invoice: 'INV-2' }]],
    ['what we do not know', { TN: { ...TN, RE: 'x', ANM: null } }, [XML_LINE]],
    ['no customer and no account', { TN: without('CST', 'CC') }, [UNNAMED]],
    ['an account without a kind', { TN: { ...TN, CC: { MP: null, CCN: null } } }, [UNNAMED]],
    [
      'an account at a bank',
      { TN: { ...without('CC'), ACH: { CSTN: 'Ada', ACN: '0***0001', ACTYP: 'CHECKING' } } },
      [{ ...XML_LINE, paymentMethod: 'CHECKING', lastFour: '0001' }],
    ],
    ['a payment without an id', { TN: { ...TN, TNID: null } }, [{ ...XML_LINE, transactionId: '' }]],
  ])('reads %s', (_what, journal, entries) => {
    expect(readJournalXml(answerWith({ JOURNALREPORT: journal }), CARDS)).toEqual(entries);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no journal', {}, 'the answer holds no journal'],
    ['two payloads', { JOURNALREPORT: null, FILE: null }, 'the answer holds no journal'],
    ['text', { JOURNALREPORT: 'x' }, NOT_TRANSACTIONS],
    ['two journals', { JOURNALREPORT: [null, null] }, NOT_TRANSACTIONS],
    ['something else', { JOURNALREPORT: { TN, CST: null } }, NOT_TRANSACTIONS],
    ['an empty transaction', { JOURNALREPORT: { TN: [TN, null] } }, 'a transaction of the journal holds nothing'],
    ['no invoice', { JOURNALREPORT: { TN: without('INV') } }, 'a transaction of the journal has no INV'],
    ['no result', { JOURNALREPORT: { TN: without('RST') } }, 'a transaction of the journal has no RST'],
    ['two amounts', { JOURNALREPORT: { TN: { ...TN, AMT: ['1', '2'] } } }, TWO_THINGS],
    ['two accounts', { JOURNALREPORT: { TN: { ...TN, CC: [TN.CC, TN.CC] } } }, TWO_THINGS],
  ])('takes nothing from %s', (_what, payload, why) => {
    expect(readJournalXml(answerWith(payload), CARDS)).toBe(why);
  });
});

function answerWith(payload: Record<string, unknown>): ServiceAnswer {
  return { status: 'Success', errors: '', payload };
}

function without(...names: (keyof typeof TN)[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(TN).filter(([name]) => !names.some((left) => left === name)));
}
