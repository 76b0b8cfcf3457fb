import { afterEach, describe, expect, it } from 'vitest';
import { type ReportName, REPORTS } from '../../../schemas/reports.ts';
import type { GatewayClientSettings } from '../../../src/gateway/create-gateway-client.ts';
import type { TranscriptEntry } from '../../../src/gateway/exchange.ts';
import { createReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import type { ReportAnswer } from '../../../src/gateway/reports/report-answers.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { CANARIES } from '../support/cases.ts';
import { httpAnswer } from '../support/scripted-server.ts';
import { answerOf, success } from '../support/soap-answers.ts';
import { closeServers, script } from '../support/submit.ts';

afterEach(closeServers);

const ALL = Object.keys(REPORTS) as ReportName[];
const BANK = ALL.filter((report) => REPORTS[report].method === 'bank');
const DAY = { date: '2026-06-15T00:00:00-07:00' };
const RANGE = { fromDate: '2026-06-15T00:00:00-07:00', toDate: '2026-06-15T23:59:59-07:00' };

describe('callReport', () => {
  it.each(BANK)('answers the restriction of %s before anything leaves', async (report) => {
    const server = await script({});
    // Faulty parameters show that the restriction comes first.
    const message = 'Service cannot be used on this server.';
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
