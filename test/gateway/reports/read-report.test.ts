import { describe, expect, it } from 'vitest';
import type { ReportName } from '../../../schemas/reports.ts';
import { createScrub } from '../../../src/gateway/scrub.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { CANARIES } from '../support/cases.ts';
import { answerOf, envelope, failure, FAULT, success } from '../support/soap-answers.ts';
import { type AnsweredReport, readReport } from '../../../src/gateway/reports/create-report-client.ts';

const CSV: ReportName = 'getCreditCardApprovedSpecificDateCSV';
const XML: ReportName = 'getCreditCardApprovedSpecificDateXML';
const BALANCE: ReportName = 'getCreditCardBankReconciliationReportCSV';
const TITLES = 'Invoice,Date,Customer Code,Total,Result,Transaction ID\r\n';

describe('readReport', () => {
  it('reads a file, and says where it is empty', async () => {
    const csv = `${TITLES}I-1,06/15/2017 10:11:12,,5.00,OK:678594:,A9000001\r\n`;
    expect(await read(CSV, inFile(csv))).toMatchObject({
      kind: 'read',
      report: { entries: [{ invoice: 'I-1', outcome: 'approved' }], csv },
    });
    expect(await read(CSV, success('<FILE />'))).toEqual({ kind: 'read', report: { entries: [], csv: '' } });
    expect(await read(CSV, inFile(TITLES))).toEqual({ kind: 'read', report: { entries: [], csv: TITLES } });
  });

  it('reads a journal in XML', async () => {
    const tn = '<TN><TNID>A1</TNID><INV>I-1</INV><DTM>x</DTM><AMT>5</AMT><RST>OK:1:</RST></TN>';
    const answer = await read(XML, success(`<JOURNALREPORT>${tn}</JOURNALREPORT>`));
    expect(answer).toMatchObject({ kind: 'read', report: { entries: [{ transactionId: 'A1', amountCents: 500 }] } });
    expect(await read(XML, success('<JOURNALREPORT />'))).toEqual({ kind: 'read', report: { entries: [] } });
  });

  it('hands a reconciliation out as it is, but for whole numbers', async () => {
    expect(await read(BALANCE, inFile('Account,Total\r\n02100002100000000000000001,5.00\r\n'))).toEqual({
      kind: 'read',
      report: { entries: [], csv: 'Account,Total\r\n**********************0001,5.00\r\n' },
    });
  });

  it('reads the base64 that the first version sends alone', async () => {
    expect(await readBody(CSV, bareAnswer(CSV, base64(TITLES)))).toEqual({
      kind: 'read',
      report: { entries: [], csv: TITLES },
    });
    expect(await readBody(XML, bareAnswer(XML, base64(TITLES)))).toMatchObject({ kind: 'failed' });
    // An answer without content must not count as no rows.
    expect(await readBody(CSV, bareAnswer(CSV, ''))).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['a wrong login', failure('Bad Credentials', '<FILE />'), 'Bad Credentials'],
    ['a failure without words', failure('', '<FILE />'), 'the service says Failure'],
    ['an error beside a success', `<STATUS>Success</STATUS><ERRORS>x</ERRORS><FILE />`, 'x'],
    ['no file', success(''), 'the answer holds no file in base64'],
    ['a file that is none', success('<FILE>%%%</FILE>'), 'the answer holds no file in base64'],
    ['another payload', success('<JOURNALREPORT />'), 'the answer holds no file in base64'],
    ['a file of something else', inFile('hello'), 'the report has no column Transaction ID'],
  ])('fails for %s', async (_what, inside, errors) => {
    expect(await read(CSV, inside)).toEqual({ kind: 'failed', errors });
  });

  it('fails for whatever is no answer of the report', async () => {
    expect(await readBody(CSV, FAULT)).toMatchObject({ kind: 'failed' });
    expect(await readBody(CSV, answerOf(wireName(XML), success('<FILE />')))).toMatchObject({ kind: 'failed' });
    expect(await readBody(CSV, '')).toEqual({ kind: 'failed', errors: 'the answer is empty' });
    const status = {
      kind: 'answered',
      httpStatus: 503,
      bytesWritten: 1,
      bytesRead: 1,
      body: Buffer.from('x'),
    } as const;
    expect(await readReport(callOf(CSV), status)).toEqual({ kind: 'failed', errors: 'the service answered HTTP 503' });
    const broken = { kind: 'broken', why: 'gone', bytesWritten: 1, bytesRead: 0, body: Buffer.alloc(0) } as const;
    expect(await readReport(callOf(CSV), broken)).toEqual({ kind: 'failed', errors: 'gone' });
  });

  it('repeats no login and no number from an error', async () => {
    const answer = await read(CSV, failure(`${CANARIES.agentCode} ${CANARIES.card}`, '<FILE />'));
    expect(answer).toEqual({ kind: 'failed', errors: '[removed] ************2220' });
  });
});

function callOf(report: ReportName): AnsweredReport {
  return { report, server: 'NA', scrub: createScrub(CANARIES) };
}

function read(report: ReportName, inside: string) {
  return readBody(report, answerOf(wireName(report), inside));
}

function readBody(report: ReportName, xml: string) {
  const body = Buffer.from(xml);
  return readReport(callOf(report), { kind: 'answered', httpStatus: 200, bytesWritten: 1, bytesRead: 1, body });
}

function inFile(csv: string): string {
  return success(`<FILE>${base64(csv)}</FILE>`);
}

function bareAnswer(report: ReportName, text: string): string {
  const name = wireName(report);
  const namespace = 'https://www.iatspayments.com/NetGate/';
  return envelope(`<${name}Response xmlns="${namespace}"><${name}Result>${text}</${name}Result></${name}Response>`);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
