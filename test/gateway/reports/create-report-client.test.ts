import { afterEach, describe, expect, it } from 'vitest';
import { type ReportName, REPORTS } from '../../../schemas/reports.ts';
import type { GatewayClientSettings } from '../../../src/gateway/create-gateway-client.ts';
import {
  type AnsweredReport,
  createReportClient,
  readReport,
  type ReportClient,
} from '../../../src/gateway/reports/create-report-client.ts';
import type { TranscriptEntry } from '../../../src/gateway/exchange.ts';
import type { ReportAnswer } from '../../../src/gateway/answers.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { CANARIES } from '../support/call.ts';
import { httpAnswer } from '../support/scripted-server.ts';
import { answerOf, envelope, failure, FAULT, success } from '../support/soap-answers.ts';
import { closeServers, script } from '../support/submit.ts';
import { createScrub } from '../../../src/gateway/hide-secrets.ts';

const SETTINGS: GatewayClientSettings = { server: 'NA', agentCode: 'TEST88', password: 'TEST88' };

describe('createReportClient', () => {
  it('has the reports of the table and nothing else', () => {
    expect(Object.keys(createReportClient(SETTINGS))).toEqual(Object.keys(REPORTS));
  });

  it.each<[string, Partial<Record<keyof GatewayClientSettings, unknown>>]>([
    ['another server', { server: 'EU' }],
    ['no password', { password: '' }],
    ['plain http', { baseUrl: 'http://gateway.example' }],
  ])('refuses %s, as the client of the operations does', (_what, change) => {
    const settings = { ...SETTINGS, ...change } as GatewayClientSettings;
    expect(() => createReportClient(settings)).toThrow(expect.objectContaining({ code: 'GATEWAY_SETUP' }));
  });

  it('does not compile with wrong calls', () => {
    expect(wrongCalls).toBeTypeOf('function');
  });
});

/** Never called; the compiler must reject each marked line. */
async function wrongCalls(client: ReportClient): Promise<void> {
  const answer = await client.getCreditCardApprovedSpecificDateXML({ date: new Date(0) });
  if (answer.kind === 'read') answer.report.entries satisfies readonly object[];
  // @ts-expect-error a report exists only when it was read
  void answer.report;
  await client.getACHEFTRejectDateRangeCSV({ fromDate: new Date(0), toDate: '2026-06-15T00:00:00Z', endIndex: 9 });
  // @ts-expect-error the end of the range is missing
  await client.getACHEFTRejectDateRangeCSV({ fromDate: new Date(0) });
  // @ts-expect-error an index is a number
  await client.getACHEFTRejectDateRangeCSV({ fromDate: new Date(0), toDate: new Date(0), endIndex: '9' });
  // @ts-expect-error a currency that the service does not list
  await client.getCreditCardBankReconciliationReportCSV({ fromDate: '', toDate: '', currency: 'JPY' });
  // @ts-expect-error cards have no returned payments
  await client.getCreditCardReturnSpecificDateXML({ date: new Date(0) });
}

afterEach(closeServers);

const ALL = Object.keys(REPORTS) as ReportName[];
const BANK = ALL.filter((report) => REPORTS[report].method === 'bank');
const DAY = { date: '2026-06-15T00:00:00-07:00' };
const RANGE = { fromDate: '2026-06-15T00:00:00-07:00', toDate: '2026-06-15T23:59:59-07:00' };

describe('callReport', () => {
  it.each(BANK)('answers the restriction of %s before anything leaves', async (report) => {
    const server = await script({});
    // Faulty parameters show that the restriction comes first.
    const message = 'Service cannot be used on this server. Judged: server UK.';
    expect(await callOn(server.url, report, {}, { server: 'UK' })).toEqual({ kind: 'restricted', message });
    expect(server.connections).toHaveLength(0);
  });

  it('answers faulty parameters without their values, and nothing leaves', async () => {
    const server = await script({});
    const parameters = { date: '4222222222222220', 'my card 4222222222222220': 1 };
    expect(await callOn(server.url, 'getCreditCardApprovedSpecificDateXML', parameters)).toEqual({
      kind: 'invalid',
      faults: [
        { field: 'date', message: 'must be a date-time of ISO 8601 with an offset' },
        { field: '(not a name)', message: 'is not a parameter of this operation' },
      ],
    });
    expect(server.connections).toHaveLength(0);
  });

  it('says when nothing could leave', async () => {
    const answer = await callOn('http://127.0.0.1:1', 'getCreditCardApprovedSpecificDateXML', DAY);
    expect(answer).toMatchObject({ kind: 'not_sent' });
  });

  it.each([
    [
      'getCreditCardApprovedSpecificDateXML',
      DAY,
      '<date>2026-06-15T00:00:00-07:00</date><customerIPAddress></customerIPAddress>',
    ],
    [
      'getCreditCardRejectDateRangeCSV',
      { ...RANGE, startIndex: 0, endIndex: 199 },
      '<fromDate>2026-06-15T00:00:00-07:00</fromDate><toDate>2026-06-15T23:59:59-07:00</toDate>' +
        '<customerIPAddress></customerIPAddress><startIndex>0</startIndex><endIndex>199</endIndex>',
    ],
    [
      'getACHEFTBankReconciliationReportCSV',
      { ...RANGE, currency: 'CAD', summaryOnly: true },
      '<fromDate>2026-06-15T00:00:00-07:00</fromDate><toDate>2026-06-15T23:59:59-07:00</toDate>' +
        '<currency>CAD</currency><summaryOnly>true</summaryOnly><customerIPAddress></customerIPAddress>',
    ],
  ] as const)('writes the elements of %s in their order', async (report, parameters, elements) => {
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(500, '')) });
    await callOn(server.url, report, parameters);
    const [request = ''] = server.requests;
    expect(request).toContain('POST /NetGate/ReportLinkv2.asmx HTTP/1.1');
    expect(request).toContain(`action="https://www.iatspayments.com/NetGate/${wireName(report)}"`);
    expect(request).toContain(`</password>${elements}</${wireName(report)}>`);
  });

  it('repeats a call that breaks, as any read', async () => {
    const report = 'getCreditCardApprovedSpecificDateXML';
    const waits: number[] = [];
    const server = await script({
      onRequest: (socket) => {
        if (server.requests.length < 3) socket.destroy();
        else socket.end(httpAnswer(200, answerOf(wireName(report), success('<JOURNALREPORT />'))));
      },
    });
    const answer = await callOn(server.url, report, DAY, {}, async (ms) => void waits.push(ms));
    expect(answer).toEqual({ kind: 'read', report: { entries: [] } });
    expect(waits).toEqual([200, 400]);
  });

  it('gives up after the third time, without a claim about the journal', async () => {
    const server = await script({ onRequest: (socket) => socket.destroy() });
    const answer = await callOn(server.url, 'getCreditCardApprovedSpecificDateXML', DAY);
    expect(answer).toMatchObject({ kind: 'failed' });
    expect(server.requests).toHaveLength(3);
  });

  it('tells the transcript without the login and without the journal', async () => {
    const report = 'getCreditCardApprovedSpecificDateCSV';
    const csv = `Invoice,Date,Customer Code,Total,Result,Transaction ID\r\n${CANARIES.name},x,,5,OK:1:,A1\r\n`;
    const file = `<FILE>${Buffer.from(csv).toString('base64')}</FILE>`;
    const server = await script({
      onRequest: (socket) => socket.end(httpAnswer(200, answerOf(wireName(report), success(file)))),
    });
    const told: TranscriptEntry[] = [];
    await callOn(server.url, report, DAY, { transcript: (entry) => told.push(entry) });
    expect(told.map(({ operation, direction }) => [operation, direction])).toEqual([
      [report, 'request'],
      [report, 'answer'],
    ]);
    const text = JSON.stringify(told);
    expect(text).toContain('2026-06-15T00:00:00-07:00');
    for (const secret of [CANARIES.agentCode, CANARIES.password, CANARIES.name, file]) {
      expect(text).not.toContain(secret);
    }
  });
});

function callOn(
  baseUrl: string,
  report: ReportName,
  parameters: object,
  settings: Partial<GatewayClientSettings> = {},
  wait: (ms: number) => Promise<void> = async () => {},
): Promise<ReportAnswer> {
  const { agentCode, password } = CANARIES;
  const client = createReportClient({ server: 'NA', agentCode, password, baseUrl, ...settings }, { wait });
  const method: (parameters: never) => Promise<ReportAnswer> = client[report];
  return method(parameters as never);
}

const CSV: ReportName = 'getCreditCardApprovedSpecificDateCSV';
const XML: ReportName = 'getCreditCardApprovedSpecificDateXML';
const BALANCE: ReportName = 'getCreditCardBankReconciliationReportCSV';
const TITLES = 'Invoice,Date,Customer Code,Total,Result,Transaction ID\r\n';

describe('readReport', () => {
  it('reads a file, and says where it is empty', () => {
    const csv = `${TITLES}I-1,06/15/2017 10:11:12,,5.00,OK:678594:,A9000001\r\n`;
    expect(read(CSV, inFile(csv))).toMatchObject({
      kind: 'read',
      report: { entries: [{ invoice: 'I-1', outcome: 'approved' }], csv },
    });
    expect(read(CSV, success('<FILE />'))).toEqual({ kind: 'read', report: { entries: [], csv: '' } });
    expect(read(CSV, inFile(TITLES))).toEqual({ kind: 'read', report: { entries: [], csv: TITLES } });
  });

  it('reads a journal in XML', () => {
    const tn = '<TN><TNID>A1</TNID><INV>I-1</INV><DTM>x</DTM><AMT>5</AMT><RST>OK:1:</RST></TN>';
    const answer = read(XML, success(`<JOURNALREPORT>${tn}</JOURNALREPORT>`));
    expect(answer).toMatchObject({ kind: 'read', report: { entries: [{ transactionId: 'A1', amountCents: 500 }] } });
    expect(read(XML, success('<JOURNALREPORT />'))).toEqual({ kind: 'read', report: { entries: [] } });
  });

  it('hands a reconciliation out as it is, but for whole numbers', () => {
    expect(read(BALANCE, inFile('Account,Total\r\n02100002100000000000000001,5.00\r\n'))).toEqual({
      kind: 'read',
      report: { entries: [], csv: 'Account,Total\r\n**********************0001,5.00\r\n' },
    });
  });

  it('reads the base64 that the first version sends alone', () => {
    expect(readBody(CSV, bareAnswer(CSV, base64(TITLES)))).toEqual({
      kind: 'read',
      report: { entries: [], csv: TITLES },
    });
    expect(readBody(XML, bareAnswer(XML, base64(TITLES)))).toMatchObject({ kind: 'failed' });
    // An answer without content must not count as no rows.
    expect(readBody(CSV, bareAnswer(CSV, ''))).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['a wrong login', failure('Bad Credentials', '<FILE />'), 'Bad Credentials'],
    ['a failure without words', failure('', '<FILE />'), 'the service says Failure'],
    ['an error beside a success', `<STATUS>Success</STATUS><ERRORS>x</ERRORS><FILE />`, 'x'],
    ['no file', success(''), 'the answer holds no file in base64'],
    ['a file that is none', success('<FILE>%%%</FILE>'), 'the answer holds no file in base64'],
    ['another payload', success('<JOURNALREPORT />'), 'the answer holds no file in base64'],
    ['a file of something else', inFile('hello'), 'the report has no column Transaction ID'],
  ])('fails for %s', (_what, inside, errors) => {
    expect(read(CSV, inside)).toEqual({ kind: 'failed', errors });
  });

  it('fails for whatever is no answer of the report', () => {
    expect(readBody(CSV, FAULT)).toMatchObject({ kind: 'failed' });
    expect(readBody(CSV, answerOf(wireName(XML), success('<FILE />')))).toMatchObject({ kind: 'failed' });
    expect(readBody(CSV, '')).toEqual({ kind: 'failed', errors: 'the answer is empty' });
    const status = {
      kind: 'answered',
      httpStatus: 503,
      bytesWritten: 1,
      bytesRead: 1,
      body: Buffer.from('x'),
    } as const;
    expect(readReport(callOf(CSV), status)).toEqual({ kind: 'failed', errors: 'the service answered HTTP 503' });
    const broken = { kind: 'broken', why: 'gone', bytesWritten: 1, bytesRead: 0, body: Buffer.alloc(0) } as const;
    expect(readReport(callOf(CSV), broken)).toEqual({ kind: 'failed', errors: 'gone' });
  });

  it('repeats no login and no number from an error', () => {
    const answer = read(CSV, failure(`${CANARIES.agentCode} ${CANARIES.card}`, '<FILE />'));
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
