import { afterEach, describe, expect, it } from 'vitest';
import type { Server } from '../../../schemas/operations.ts';
import { createGatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { createReportClient, type ReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import type { JournalLine, ReportAnswer } from '../../../src/gateway/answers.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';

/** Payments made through one client are found through the other, as after a lost answer. */

const NOW = '2026-06-15T17:11:12.345Z';
const DAY = { date: NOW };
const RANGE = { fromDate: '2026-06-15T17:11:00Z', toDate: '2026-06-15T17:12:00Z' };
const PERSON = { firstName: '=Ada, "the"\\', lastName: "O'Byron & <Söhne>" };
const ADDRESS = { address: '1 Mill Lane', city: 'Troy', state: 'NY', zipCode: '12180' };
const CARD = { ...PERSON, ...ADDRESS, creditCardExpiry: '12/35', cvv2: '123', mop: 'VISA' } as const;
const BANK = { ...PERSON, accountNum: '02100002100000000000000001', accountType: 'CHECKING' } as const;
const GOOD_CARD = '4222222222222220';
const BAD_CARD = '4111111111111111';

const sandboxes: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of sandboxes.splice(0)) await sandbox.close();
});

async function meet(server: Server) {
  const sandbox = await startSandbox({ now: NOW, accounts: [{ agentCode: 'TEST88', password: 'SECRET1', server }] });
  sandboxes.push(sandbox);
  const currency: 'USD' | 'GBP' = server === 'NA' ? 'USD' : 'GBP';
  const settings = { server, agentCode: 'TEST88', password: 'SECRET1', currency, baseUrl: sandbox.url } as const;
  const world = { wait: async () => {} };
  return {
    sandbox,
    currency,
    client: createGatewayClient(settings, world),
    reports: createReportClient(settings, world),
  };
}

describe.each<Server>(['NA', 'UK'])('card payments on %s', (server) => {
  it('are found by their invoice in every report of their list', async () => {
    const { client, reports } = await meet(server);
    const paid = await client.processCreditCard({
      ...CARD,
      creditCardNum: GOOD_CARD,
      total: '25.00',
      invoiceNum: 'PAID,1',
      comment: '=1+1, "x"',
    });
    const refused = await client.processCreditCard({
      ...CARD,
      creditCardNum: BAD_CARD,
      total: '2.00',
      invoiceNum: 'REFUSED-1',
    });
    const approved = [
      await reports.getCreditCardApprovedSpecificDateXML(DAY),
      await reports.getCreditCardApprovedSpecificDateCSV(DAY),
      await reports.getCreditCardApprovedDateRangeCSV(RANGE),
    ];
    for (const answer of approved) {
      const [line, ...others] = linesOf(answer);
      expect(others).toEqual([]);
      expect(line).toMatchObject({ invoice: 'PAID,1', customerCode: '', paymentMethod: 'VISA', amountCents: 2500 });
      expect(line).toMatchObject({ outcome: 'approved', transactionId: idOf(paid), result: 'OK:678594:' });
      expect(line?.at.utc).toBe('2026-06-15T17:11:12.000Z');
      expect(JSON.stringify(answer)).not.toContain(GOOD_CARD);
    }
    expect(approved.map((answer) => linesOf(answer)[0]?.lastFour)).toEqual(['2220', '2220', '']);
    expect(approved.map((answer) => linesOf(answer)[0]?.comment)).toEqual(['=1+1, "x"', '', '=1+1, "x"']);
    const rejected = [
      await reports.getCreditCardRejectSpecificDateXML(DAY),
      await reports.getCreditCardRejectSpecificDateCSV(DAY),
      await reports.getCreditCardRejectDateRangeCSV(RANGE),
    ];
    for (const answer of rejected) {
      const transactionId = refused.kind === 'declined' ? refused.transactionId : 'none';
      expect(linesOf(answer)).toMatchObject([
        { invoice: 'REFUSED-1', outcome: 'rejected', result: 'REJ:15', amountCents: 200, transactionId },
      ]);
    }
  });

  it('are told apart by account, day and part', async () => {
    const { sandbox, currency, client, reports } = await meet(server);
    for (const invoiceNum of ['I-0', 'I-1', 'I-2']) {
      await client.processCreditCard({ ...CARD, creditCardNum: GOOD_CARD, total: '5.00', invoiceNum });
      sandbox.clock.advance(24 * 3600 * 1000);
    }
    const whole = { fromDate: '2026-06-14T00:00:00Z', toDate: '2026-06-20T00:00:00Z' };
    const range = (part: object) => reports.getCreditCardApprovedDateRangeCSV({ ...whole, ...part });
    expect(invoicesOf(await range({}))).toEqual(['I-0', 'I-1', 'I-2']);
    expect(invoicesOf(await range({ startIndex: 1, endIndex: 1 }))).toEqual(['I-1']);
    expect(invoicesOf(await range({ startIndex: 3, endIndex: 9 }))).toEqual([]);
    expect(invoicesOf(await reports.getCreditCardApprovedSpecificDateXML(DAY))).toEqual(['I-0']);
    const next = { date: new Date(Date.parse(NOW) + 24 * 3600 * 1000) };
    expect(invoicesOf(await reports.getCreditCardApprovedSpecificDateCSV(next))).toEqual(['I-1']);
    const future = await reports.getCreditCardApprovedSpecificDateCSV({ date: '2050-01-01T00:00:00Z' });
    expect(future).toEqual({ kind: 'read', report: { entries: [], csv: '' } });
    const paidOut = (of: typeof currency) =>
      reports.getCreditCardBankReconciliationReportCSV({ ...whole, currency: of });
    const lines = csvOf(await paidOut(currency))
      .split('\n')
      .slice(1);
    const at = (day: number) => (server === 'NA' ? `06/${day}/2026 10:11:12` : `${day}/06/2026 18:11:12`);
    const times = [at(16), at(17), at(18)].map((time, index) => [`I-${index}`, time]);
    expect(lines.map((line) => line.split(',').slice(1, 3))).toEqual([...times, []]);
    expect(csvOf(await paidOut(server === 'NA' ? 'GBP' : 'USD'))).toBe('');
  });

  it('are found when their answer was lost, and are not when they were not made', async () => {
    const { sandbox, client, reports } = await meet(server);
    const details = { ...CARD, creditCardNum: GOOD_CARD, total: '7.00' };
    sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCard' });
    expect(await client.processCreditCard({ ...details, invoiceNum: 'LOST-1' })).toMatchObject({ kind: 'unknown' });
    sandbox.faults.plan({ kind: 'reset-after-request', operation: 'processCreditCard' });
    expect(await client.processCreditCard({ ...details, invoiceNum: 'NEVER-1' })).toMatchObject({ kind: 'unknown' });
    for (const answer of [
      await reports.getCreditCardApprovedSpecificDateCSV(DAY),
      await reports.getCreditCardApprovedDateRangeCSV(RANGE),
      await reports.getCreditCardApprovedSpecificDateXML(DAY),
    ]) {
      expect(linesOf(answer)).toMatchObject([{ invoice: 'LOST-1', outcome: 'approved', amountCents: 700 }]);
    }
  });

  it('say nothing when the journal itself cannot be had', async () => {
    const { sandbox, reports } = await meet(server);
    for (const kind of ['empty-result', 'cut-document', 'http-503', 'soap-fault-server'] as const) {
      sandbox.faults.plan({ kind, operation: 'getCreditCardApprovedSpecificDateCSV' });
      expect(await reports.getCreditCardApprovedSpecificDateCSV(DAY), kind).toMatchObject({ kind: 'failed' });
    }
    sandbox.faults.plan({ kind: 'closed-after-request', operation: '*', times: 2 });
    expect(await reports.getCreditCardApprovedSpecificDateCSV(DAY)).toMatchObject({ kind: 'read' });
  });
});

describe('bank payments', () => {
  it('are found as accepted, as approved once the bank has spoken, and as rejected or returned', async () => {
    const { sandbox, client, reports } = await meet('NA');
    // The amounts that the test account settles, returns and rejects.
    for (const total of ['1.00', '3.00', '4.00']) {
      await client.processACHEFT({ ...BANK, total, invoiceNum: `BANK-${total}` });
    }
    const taken = [
      await reports.getACHEFTApprovedSpecificDateXML(DAY),
      await reports.getACHEFTApprovedSpecificDateCSV(DAY),
      await reports.getACHEFTApprovedDateRangeCSV(RANGE),
    ];
    for (const answer of taken) {
      expect(linesOf(answer).map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
    }
    expect(taken.map((answer) => linesOf(answer)[0]?.paymentMethod)).toEqual(['CHECKING', 'CHECKING', 'ACHEFT']);
    expect(taken.map((answer) => linesOf(answer)[0]?.lastFour)).toEqual(['0001', '0001', '']);

    sandbox.clock.advance(30 * 24 * 3600 * 1000);
    const later = { fromDate: RANGE.fromDate, toDate: '2026-07-15T00:00:00Z' };
    const outcomes = await outcomesOf(reports, later);
    expect(outcomes).toEqual({ 'BANK-1.00': 'approved', 'BANK-3.00': 'returned', 'BANK-4.00': 'rejected' });
  });

  it('of the UK server are restricted', async () => {
    const { reports } = await meet('UK');
    const message = 'Service cannot be used on this server. Judged: server UK.';
    expect(await reports.getACHEFTApprovedSpecificDateXML(DAY)).toEqual({ kind: 'restricted', message });
  });
});

describe('a wrong login', () => {
  it('is a failure with the words of the service', async () => {
    const { sandbox } = await meet('NA');
    const settings = { server: 'NA', agentCode: 'TEST88', password: 'WRONG1', baseUrl: sandbox.url } as const;
    const answer = await createReportClient(settings).getCreditCardApprovedDateRangeCSV(RANGE);
    expect(answer).toEqual({ kind: 'failed', errors: 'Bad Credentials' });
  });
});

async function outcomesOf(reports: ReportClient, range: { fromDate: string; toDate: string }) {
  const lines = [
    ...linesOf(await reports.getACHEFTApprovedDateRangeCSV(range)),
    ...linesOf(await reports.getACHEFTRejectDateRangeCSV(range)),
    ...linesOf(await reports.getACHEFTReturnDateRangeCSV(range)),
  ];
  return Object.fromEntries(lines.map(({ invoice, outcome }) => [invoice, outcome]));
}

function linesOf(answer: ReportAnswer): readonly JournalLine[] {
  expect(answer).toMatchObject({ kind: 'read' });
  return answer.kind === 'read' ? answer.report.entries : [];
}

function invoicesOf(answer: ReportAnswer): string[] {
  return linesOf(answer).map(({ invoice }) => invoice);
}

function idOf(answer: { kind: string; result?: { transactionId: string | null } }): string {
  return answer.result?.transactionId ?? 'none';
}

function csvOf(answer: ReportAnswer): string {
  expect(answer).toMatchObject({ kind: 'read' });
  return answer.kind === 'read' && 'csv' in answer.report ? (answer.report.csv ?? '') : '';
}
