import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  csvCell,
  dayCsv,
  guardNumber,
  journalXml,
  payersWords,
  quoteCell,
  rangeCsv,
} from '../../../src/sandbox/reports/write-journal.ts';
import { faceOf } from '../../../src/sandbox/reports/choose-entries.ts';
import { planHistory } from '../../../src/sandbox/history/plan-history.ts';
import { REPORT_HANDLERS } from '../../../src/sandbox/reports/report-handlers.ts';
import { tryProperty } from '../../support/random.ts';
import { bankEntry, journalEntry, makeCall, makeContext } from '../support/make-context.ts';
import { compareReports, daysBetween } from '../support/sandbox-world.ts';
import { readXml } from '../../../src/sandbox/xml/read-xml.ts';

const NA = faceOf({ server: 'NA' });
const CARD_TITLES =
  'Invoice,Date,Agent,Customer Code,CCType,First Name, Last Name, Card Number, Expire, Total, Result, Detail,Transaction ID\r\n';
const BANK_TITLES =
  'Invoice,Date,Agent,Customer Code,Account Type,First Name, Last Name, Account Number, Total, Result, Detail,Transaction ID\r\n';

describe('dayCsv', () => {
  it('writes card payments as the service does', () => {
    expect(dayCsv('card', [journalEntry({ customerCode: 'A10000001' })], NA)).toBe(
      `${CARD_TITLES}INV-1,06/15/2017 10:11:12,TEST88,"A10000001",VISA,"Ada","Byron",'4***********2220,'12/20,5.00,OK:678594:, ,A9000001\r\n`,
    );
  });

  it('writes bank payments in analogy, without an expiry', () => {
    expect(dayCsv('bank', [bankEntry()], NA)).toBe(
      `${BANK_TITLES}INV-1,06/15/2017 10:11:12,TEST88,"Quick Client",CHECKING,"Ada","Byron",'0*********************0001,5.00,OK:555555:, ,A9000001\r\n`,
    );
  });

  it('writes the day first on the UK server', () => {
    expect(dayCsv('card', [journalEntry()], faceOf({ server: 'UK' }))).toContain(',15/06/2017 18:11:12,');
  });

  it('has titles without rows', () => {
    expect(dayCsv('card', [], NA)).toBe(CARD_TITLES);
    expect(dayCsv('bank', [], NA)).toBe(BANK_TITLES);
  });

  it('writes a refund with its sign', () => {
    expect(dayCsv('card', [journalEntry({ amountCents: -1 })], NA)).toContain(",'12/20,-0.01,");
  });

  it('keeps what payers wrote within its cell and its row', () => {
    const hostile = journalEntry({ firstName: '=cmd|"x"', lastName: 'a\r\nb,c', payment: '@a,b', invoice: '1,"2"' });
    expect(dayCsv('card', [hostile], NA).split('\r\n')).toEqual([
      CARD_TITLES.trim(),
      `"1,""2""",06/15/2017 10:11:12,TEST88,"Quick Client","'@a,b","'=cmd|""x""","a b,c",'4***********2220,'12/20,5.00,OK:678594:, ,A9000001`,
      '',
    ]);
  });
});

const TITLES =
  'Transaction ID,Invoice Number,Date Time,Client Code,Customer Code,Method of Payment,Amount,Result,Comment,Journal Id';

describe('rangeCsv', () => {
  it('writes a card payment', () => {
    expect(rangeCsv([journalEntry({ customerCode: 'A10000001' })], NA)).toBe(
      `${TITLES}\r\nA9000001,INV-1,06/15/2017 10:11:12,TEST88,"A10000001",VISA,5.00,OK:678594:,"Gift",2835349505\r\n`,
    );
  });

  it('writes a bank payment that was rejected at once, which has no id', () => {
    expect(rangeCsv([bankEntry({ transactionId: '', result: 'REJ:40', comment: '' })], NA)).toBe(
      `${TITLES}\r\n,INV-1,06/15/2017 10:11:12,TEST88,"Quick Client",ACHEFT,5.00,REJ:40,"",\r\n`,
    );
  });

  it('has one more column on the UK server, and writes the day first', () => {
    expect(rangeCsv([journalEntry({ comment: '' })], faceOf({ server: 'UK' }))).toBe(
      `${TITLES},ACH Ref.\r\nA9000001,INV-1,15/06/2017 18:11:12,TEST88,"Quick Client",VISA,5.00,OK:678594:,"",2835349505,\r\n`,
    );
  });

  it('has titles without rows', () => {
    expect(rangeCsv([], NA)).toBe(`${TITLES}\r\n`);
  });

  it('keeps what payers wrote within its cell and its row', () => {
    const row = rangeCsv([journalEntry({ comment: '=1+1",x\n', invoice: 'a\nb' })], NA).split('\r\n')[1];
    expect(row).toBe(
      `A9000001,a b,06/15/2017 10:11:12,TEST88,"Quick Client",VISA,5.00,OK:678594:,"'=1+1"",x ",2835349505`,
    );
  });
});

it('numbers of a journal differ where long ids do, and fit into 32 bits', () => {
  const [first, second] = ['A4C63B0448BC77', 'A4C63B0448BC78'].map((transactionId) => {
    const [, row = ''] = rangeCsv([journalEntry({ transactionId })], NA).split('\r\n');
    return Number(row.split(',').at(-1)!.replaceAll('"', ''));
  });
  expect(second).toBe(first! + 1);
  expect(second).toBeLessThan(2 ** 32);
});

describe('csvCell', () => {
  it.each([
    ['INV-1', 'INV-1'],
    ['', ''],
    ['=1+1', '=1+1'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\r\nb', 'a b'],
    ['a\u0000\u2028b', 'a b'],
  ])('writes %j as %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

describe('quoteCell', () => {
  it.each([
    ['Ada', '"Ada"'],
    ['', '""'],
    ['A "B", C\nD', '"A ""B"", C D"'],
  ])('writes %j as %j', (text, cell) => {
    expect(quoteCell(text)).toBe(cell);
  });
});

describe('guardNumber', () => {
  it.each([
    ['4***********2220', "'4***********2220"],
    ['', ''],
  ])('writes %j as %j', (text, cell) => {
    expect(guardNumber(text)).toBe(cell);
  });
});

describe('payersWords', () => {
  it.each([
    ['Ada', 'Ada'],
    ["O'Byron-Smith", "O'Byron-Smith"],
    ['=HYPERLINK("x")', '\'=HYPERLINK("x")'],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM', "'@SUM"],
    ['\t=1', "'\t=1"],
    ['Ada\\', 'Ada/'],
  ])('keeps %j from running: %j', (text, words) => {
    expect(payersWords(text)).toBe(words);
  });
});

describe('journalXml', () => {
  it('writes card payments', () => {
    expect(journalXml([journalEntry()], NA)).toBe(
      '<JOURNALREPORT><TN><TNTYP>CreditCard</TNTYP><TNID>A9000001</TNID><AGT>TEST88</AGT>' +
        '<CST><CSTC>Quick Client</CSTC><FN>Ada</FN><LN>Byron</LN></CST>' +
        '<CC><CSTN>Ada Byron</CSTN><MP>VISA</MP><CCN>4***********2220</CCN><EXP>12/20</EXP></CC>' +
        '<INV>INV-1</INV><DTM>2017-06-15T10:11:12</DTM><IT1 /><IT2 /><IT3 /><IT4 /><IT5 /><IT6 />' +
        '<AMT>5.00</AMT><RST>OK:678594:</RST><CM>Gift</CM></TN></JOURNALREPORT>',
    );
  });

  it('writes bank payments with their account', () => {
    const xml = journalXml([bankEntry({ customerCode: 'A10000001', transactionId: '' })], NA);
    expect(xml).toContain('<TNTYP>ACHEFT</TNTYP><TNID /><AGT>TEST88</AGT><CST><CSTC>A10000001</CSTC>');
    expect(xml).toContain(
      '<ACH><CSTN>Ada Byron</CSTN><ACN>0*********************0001</ACN><ACTYP>CHECKING</ACTYP></ACH>',
    );
  });

  it('is one empty element without payments', () => {
    expect(journalXml([], NA)).toBe('<JOURNALREPORT />');
  });

  it('can be read whatever payers wrote', () => {
    const xml = journalXml([journalEntry({ firstName: '<A&\u0000\u0001\ud800', comment: ']]>\r' })], NA);
    expect(readXml(xml)).toMatchObject({ name: 'JOURNALREPORT' });
    expect(xml).toContain('<FN>&lt;A&amp;   </FN>');
  });
});

const BOTH_SERVERS = [
  { agentCode: 'TEST88', password: 'TEST88', server: 'NA' },
  { agentCode: 'UDDD88', password: 'UDDD88', server: 'UK' },
] as const;

describe('the reports of a history', () => {
  // The clocks change on March 8 and, unless they stay, on November 1 in Vancouver, on March 29 and October 25 in London.
  it.each([
    ['2026-03-01', '2026-04-02'],
    ['2026-10-20', '2026-11-06'],
  ])('agree with the books on every day from %s to %s, to the cent', async (first, last) => {
    const days = daysBetween(first, last);
    const property = fc.asyncProperty(fc.nat(1_000_000), fc.integer({ min: 1, max: 250 }), async (seed, size) => {
      const { context, clock } = await makeContext({ accounts: BOTH_SERVERS });
      const now = new Date(`${last}T06:00:00Z`);
      clock.set(now);
      await context.books.beginWith(planHistory({ days: days.length - 3, seed, size }, BOTH_SERVERS, now));
      expect(context.books.rows()).toHaveLength(size);
      let shown = 0;
      for (const account of BOTH_SERVERS) shown += await compareReports(context, account, days);
      expect(shown).toBeGreaterThanOrEqual(size);
    });
    await tryProperty(property, 4);
  });

  it('give all 23 or 25 hours of a day on which the clocks change, from its own midnight', async () => {
    const { context, clock } = await makeContext({ accounts: BOTH_SERVERS });
    clock.set(new Date('2026-03-31T00:00:00Z'));
    await context.books.beginWith(planHistory({ days: 28, size: 3000 }, BOTH_SERVERS, clock.now()));
    for (const [account, date, noon] of [
      [BOTH_SERVERS[0], '2026-03-08T00:00:00-08:00', '2026-03-08T12:00:00'],
      [BOTH_SERVERS[1], '2026-03-29T00:00:00Z', '2026-03-29T12:00:00'],
    ] as const) {
      const report = 'getCreditCardApprovedSpecificDateCSV';
      const ask = async (text: string) =>
        REPORT_HANDLERS[report].answer(makeCall(report, { date: text }, account), context);
      const [byMidnight, byNoon] = [await ask(date), await ask(noon)];
      expect(byMidnight.payload.length).toBeGreaterThan(500);
      expect(byMidnight).toEqual(byNoon);
    }
  });

  it('sum up what was paid out, by day, and name the currencies of other servers as nothing', async () => {
    const { context, clock } = await makeContext({ accounts: BOTH_SERVERS });
    clock.set(new Date('2026-06-30T00:00:00Z'));
    await context.books.beginWith(planHistory({ days: 20, size: 400 }, BOTH_SERVERS, clock.now()));
    const name = 'getCreditCardBankReconciliationReportCSV';
    const ask = async (more: Record<string, string>) => {
      const fields = { fromDate: '2026-06-01T00:00:00', toDate: '2026-06-30T23:59:59', ...more };
      const { payload } = await REPORT_HANDLERS[name].answer(makeCall(name, fields, BOTH_SERVERS[0]), context);
      const file = Buffer.from(/<FILE>([^<]*)</.exec(payload)?.[1] ?? '', 'base64').toString();
      return file
        .split('\r\n')
        .slice(0, -1)
        .map((line) => line.split(','));
    };
    const single = (await ask({ currency: 'USD', summaryOnly: 'false' })).slice(1);
    const [titles, ...sums] = await ask({ currency: 'USD', summaryOnly: 'true' });
    expect(titles).toEqual(['Date', 'Transactions', 'Amount']);
    const total = (rows: readonly string[][], column: number) =>
      rows.reduce((sum, row) => sum + Math.round(Number(row[column]) * 100), 0);
    expect(total(sums, 2)).toBe(total(single, 6));
    expect(total(sums, 1)).toBe(single.length * 100);
    expect(single.length).toBeGreaterThan(50);
    expect(await ask({ currency: 'GBP', summaryOnly: 'false' })).toEqual([]);
  });
});
