import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../../../src/gateway/answers.ts';
import type { SentRow } from '../../../src/rows/rows.ts';
import type { SentElsewhere } from '../../../src/ledger/doubt/in-doubt.ts';
import { findInReport, looseInvoice, matchJournal } from '../../../src/actions/resolve/match-journal.ts';
import { readFileRow, readSentRows } from '../../../src/ledger/file/read-file.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { dayReport, doubtfulBatch, type ReportLine } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readReportFile, type ReportFile } from '../../../src/actions/resolve/read-report-file.ts';

const calledAt = new Date('2026-06-15T10:00:00Z');
const ROW: SentRow = { line: 2, invoice: 'INV-1', customerCode: '', amountCents: 2_500, lastFour: '2220' };
const LINE: JournalLine = {
  transactionId: 'A9000001',
  invoice: 'INV-1',
  at: { text: '06/15/2026 03:00:05', utc: '2026-06-15T10:00:05.000Z' },
  customerCode: '',
  paymentMethod: 'VISA',
  amountCents: 2_500,
  result: 'OK:678594:',
  outcome: 'approved',
  lastFour: '2220',
  comment: '',
};

function at(utc: string | null): JournalLine['at'] {
  return { text: 'as given', utc };
}

const OTHER: SentElsewhere = { ...ROW, name: 'monday.csv', outcome: null, authorization: '' };

function match(rows: readonly SentRow[], lines: readonly JournalLine[], others: readonly string[] = []) {
  const sentElsewhere = others.map((name) => ({ ...OTHER, name }));
  return matchJournal(rows, lines, { calledAt, others: sentElsewhere });
}

function findings(rows: readonly SentRow[], lines: readonly JournalLine[], others: readonly string[] = []): string[] {
  return match(rows, lines, others).map(({ finding }) => finding);
}

describe('matchJournal', () => {
  it('takes a row for shown by invoice, amount and the end of its number, with what the line says', () => {
    expect(match([ROW], [LINE])).toEqual([
      {
        line: 2,
        finding: 'found',
        outcome: 'approved',
        code: null,
        message: 'OK:678594: (from the report of the service)',
        authorization: '678594',
        transactionId: 'A9000001',
      },
    ]);
    const declined = { ...LINE, result: 'REJ:15', outcome: 'rejected' } as const;
    expect(match([ROW], [declined])).toMatchObject([{ outcome: 'declined', code: 15, authorization: '' }]);
    const taken = { ...LINE, result: 'OK:BankAccept', outcome: 'accepted' } as const;
    expect(match([ROW], [taken])).toMatchObject([{ outcome: 'accepted_pending', authorization: '' }]);
  });

  it('compares customer codes where the row has one, and as many digits of the number as are kept', () => {
    const row = { ...ROW, customerCode: 'A10', lastFour: '' };
    expect(findings([row], [{ ...LINE, customerCode: 'A10' }])).toEqual(['found']);
    expect(findings([row], [{ ...LINE, customerCode: 'A11' }])).toEqual(['ambiguous']);
    expect(findings([{ ...ROW, lastFour: '20' }], [LINE])).toEqual(['found']);
  });

  it.each<[string, Partial<JournalLine>]>([
    ['another amount', { amountCents: 2_501 }],
    ['no amount', { amountCents: null }],
    ['another number', { lastFour: '1111' }],
    ['no number, as reports of a range', { lastFour: '' }],
    ['a time that cannot be read', { at: at(null) }],
    ['a time long after', { at: at('2026-07-15T10:00:00.000Z') }],
    ['a time just before', { at: at('2026-06-15T08:59:59.000Z') }],
    ['a time years before', { at: at('2024-06-15T10:00:05.000Z') }],
    ['its invoice in other letters', { invoice: ' inv-1' }],
    ['its invoice without zeros and dashes', { invoice: '00INV1' }],
    ['a result that says nothing', { outcome: 'unknown', result: 'REJ:TIMEOUT' }],
  ])('cannot tell a row whose line has %s', (_what, change) => {
    expect(findings([ROW], [{ ...LINE, ...change }])).toEqual(['ambiguous']);
  });

  it.each<[string, JournalLine[]]>([
    ['there is no line', []],
    ['its invoice stands in no line', [{ ...LINE, invoice: 'INV-2' }]],
  ])('takes a row for lacking when %s', (_why, lines) => {
    expect(findings([ROW], lines)).toEqual(['absent']);
  });

  it('lets each line explain one row only', () => {
    const twin = { ...ROW, line: 3 };
    expect(findings([ROW, twin], [LINE])).toEqual(['ambiguous', 'ambiguous']);
    expect(findings([ROW], [LINE, LINE])).toEqual(['ambiguous']);
    const both = match([ROW, twin], [LINE, { ...LINE, transactionId: 'A9000002' }]);
    expect(both.map((row) => row.transactionId)).toEqual(['A9000001', 'A9000002']);
    const declined = { ...LINE, result: 'REJ:15', outcome: 'rejected' } as const;
    expect(findings([ROW, twin], [LINE, declined])).toEqual(['ambiguous', 'ambiguous']);
  });

  it('takes a row for lacking when the only line of its invoice explains another row', () => {
    const sibling = { ...ROW, line: 3, amountCents: 9_900 };
    expect(findings([ROW, sibling], [LINE])).toEqual(['found', 'absent']);
  });

  it('cannot tell a row that another file of the account holds as well', () => {
    expect(match([ROW], [LINE], ['monday.csv'])[0]).toMatchObject({
      finding: 'ambiguous',
      message: expect.stringContaining('monday.csv'),
    });
    expect(findings([ROW], [], ['monday.csv'])).toEqual(['absent']);
  });
});

describe('matchJournal, of lines of other payments of ours', () => {
  const charged: SentElsewhere = { ...OTHER, outcome: 'approved', authorization: '678594' };
  const told = (lines: JournalLine[], others: SentElsewhere[]) =>
    matchJournal([ROW], lines, { calledAt, others }).map(({ finding }) => finding);

  it('leaves out a line that shows the charge of another batch, whatever its time', () => {
    expect(told([LINE], [charged])).toEqual(['absent']);
    expect(told([{ ...LINE, at: at('2024-06-15T10:00:05.000Z') }], [charged])).toEqual(['absent']);
    const own = { ...LINE, transactionId: 'A9000002', result: 'OK:111111:' };
    expect(told([LINE, own], [charged])).toEqual(['found']);
  });

  it.each<[string, SentElsewhere]>([
    ['of another authorization', { ...charged, authorization: '111111' }],
    ['of another amount', { ...charged, amountCents: 9 }],
    ['without a known outcome', OTHER],
  ])('leaves out no line for a payment %s', (_what, other) => {
    const old = { ...LINE, at: at('2024-06-15T10:00:05.000Z') };
    expect(told([old], [other])).toEqual(['ambiguous']);
  });

  it('leaves out neither of two lines that one charge could be', () => {
    expect(told([LINE, { ...LINE, transactionId: 'A9000002' }], [charged])).toEqual(['ambiguous']);
  });
});

describe('looseInvoice', () => {
  it('is what spreadsheets leave of an invoice', () => {
    expect(new Set(['00-12/a', '12A', ' 0012a'].map(looseInvoice))).toEqual(new Set(['12a']));
    expect(looseInvoice('120')).not.toBe(looseInvoice('12'));
  });
});

const world = openedForTests(openTestLedger);

function lineOf(invoice: string, amountCents: number): JournalLine {
  return {
    transactionId: 'A1',
    invoice,
    at: { text: '', utc: START },
    customerCode: '',
    paymentMethod: 'CHECKING',
    amountCents,
    result: 'OK:555555:',
    outcome: 'accepted',
    lastFour: '0001',
    comment: '',
  };
}

describe('findInReport', () => {
  it('compares every row with the lines of its invoice, however that is written, and no others', async () => {
    const batch = await doubtfulBatch(world);
    const { file_no: fileNo, file_id: fileId } = await readFileRow(world.ledger, batch.file_id);
    const sent = await readSentRows(world.ledger, fileNo, batch);
    const lines = [lineOf(`INV-${fileId}-2`, 200), lineOf('something else', 300)];
    const find = (given: readonly JournalLine[]) =>
      findInReport({ ledger: world.ledger, batch }, sent, given, new Date(START));
    expect(await find(lines)).toMatchObject([
      { line: 2, finding: 'found' },
      { line: 3, finding: 'absent' },
    ]);
    expect(await find([...lines, lineOf(`inv ${fileId} 3`, 300)])).toMatchObject([
      {},
      { line: 3, finding: 'ambiguous' },
    ]);
  });
});

const ABOUT = { agentCode: 'test88', server: 'NA', operation: 'ach-charge' } as const;
const BEFORE: ReportLine = { at: new Date('2026-06-15T09:00:00Z') };
const AFTER: ReportLine = { at: new Date('2026-06-15T11:00:00Z') };

function read(text: string | Buffer, about: Partial<Parameters<typeof readReportFile>[1]> = {}): ReportFile | string {
  return readReportFile(Buffer.from(text), { ...ABOUT, ...about });
}

describe('readReportFile', () => {
  it('tells the approved payments of the kind that is asked about', () => {
    const text = dayReport([BEFORE, AFTER, { ...AFTER, result: 'REJ:15' }, { ...AFTER, kind: 'VISA' }]);
    const report = read(text) as ReportFile;
    expect(report).toMatchObject({ sha256: sha256Of(Buffer.from(text)), namesAccount: true });
    expect(report.approved).toEqual(report.lines.slice(0, 2));
    expect(read(dayReport([{ ...AFTER, kind: '' }]))).toMatchObject({ approved: [] });
  });

  it('says whether it has a column that names the account', () => {
    const text = dayReport([BEFORE, AFTER]).replace(',Agent,', ',ResolutionContext,');
    expect(read(text)).toMatchObject({ namesAccount: false });
  });

  it('reads declined lines beside approved ones', () => {
    const text = dayReport([BEFORE, { ...AFTER, result: 'REJ:15' }, { ...AFTER, result: 'REJ:TIMEOUT' }]);
    expect(read(text)).toMatchObject({
      lines: [{ outcome: 'accepted' }, { outcome: 'rejected' }, { outcome: 'unknown' }],
    });
  });

  it.each<[string, string | Buffer, string]>([
    ['of another account', dayReport([BEFORE], 'OTHER1'), 'it lists payments of another account'],
    ['without lines', dayReport([]), 'it has no lines'],
    ['without bytes', '', 'it has no lines'],
    ['that is no text', Buffer.from([0xff, 0x00, 0x01]), 'it is not text'],
    ['of other titles', 'a,b,c\r\n1,2,3\r\n', 'the report has no column'],
    ['with a broken line', `${dayReport([BEFORE])}cut,off\r\n`, 'line 3 of the report is not as its titles say'],
  ])('takes no file %s', (_what, text, words) => {
    expect(read(text)).toEqual(expect.stringContaining(words));
  });

  it('reads what a spreadsheet saved in another character set', () => {
    expect(read(Buffer.from(dayReport([BEFORE]).replace('Ada', 'Zoë'), 'latin1'))).toMatchObject({
      lines: [{ outcome: 'accepted' }],
    });
  });
});
