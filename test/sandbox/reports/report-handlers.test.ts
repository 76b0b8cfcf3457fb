import { describe, expect, it } from 'vitest';
import { type ReportName, REPORTS } from '../../../schemas/reports.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import type { Account } from '../../../src/sandbox/handlers/handler.ts';
import { REPORT_HANDLERS } from '../../../src/sandbox/reports/report-handlers.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type Fields, goldenAnswer, LOGIN, NAMESPACE, post, soapRequest, STYLES } from '../support/soap-request.ts';
import { callSandbox, valueOf } from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const path = '/NetGate/ReportLinkv2.asmx';
const BANK_NUMBER = '02100002100000000000000001';
/** 10:11:12 in the morning in Vancouver. */
const now = '2017-06-15T17:11:12Z';
const DAY = { date: '2017-06-15T12:00:00-07:00' };
const RANGE = { fromDate: '2017-06-15T00:00:00-07:00', toDate: '2017-06-15T23:59:59-07:00' };
const UK: Account = { agentCode: 'UDDD88', password: 'UDDD88', server: 'UK' };
const NAME = { firstName: 'Ada', lastName: 'Byron' };
const sandboxes = useSandboxes();

describe('REPORT_HANDLERS', () => {
  it('has one handler for each report', () => {
    expect(Object.keys(REPORT_HANDLERS)).toEqual(Object.keys(REPORTS));
  });

  it.each([
    ['GetCreditCardApprovedSpecificDateCSV', DAY, 'CARD-OK', '4***********2220,', ',OK:678594:, ,A'],
    ['GetCreditCardRejectSpecificDateCSV', DAY, 'CARD-NO', '4***********1111,', ',REJ:15, ,A'],
    ['GetCreditCardApprovedDateRangeCSV', RANGE, 'CARD-OK', ',"Quick Client",VISA,', ',OK:678594:,'],
    ['GetCreditCardRejectDateRangeCSV', RANGE, 'CARD-NO', ',"Quick Client",VISA,', ',REJ:15,'],
    ['GetACHEFTApprovedSpecificDateCSV', DAY, 'BANK-OK', "'0*********************0001,", ',OK:555555:, ,A'],
    ['GetACHEFTRejectSpecificDateCSV', DAY, 'BANK-NO', ',CHECKING,', ',REJ:40, ,'],
    ['GetACHEFTApprovedDateRangeCSV', RANGE, 'BANK-OK', ',ACHEFT,', ',OK:555555:,'],
    ['GetACHEFTRejectDateRangeCSV', RANGE, 'BANK-NO', ',ACHEFT,', ',REJ:40,'],
  ])('%s tells of the payment of its kind', async (report, period, ...texts) => {
    const sandbox = await withPayments();
    const csv = await fileOf(sandbox, report, period);
    const [titles, row = '', ...others] = csv.split('\r\n');
    expect(titles).toMatch(/^(?:Invoice,Date,Agent,Customer Code|Transaction ID,Invoice Number,Date Time),/);
    for (const text of texts) expect(row).toContain(text);
    expect(others).toEqual(['']);
  });

  it.each([
    ['GetCreditCardApprovedSpecificDateXML', 'CARD-OK', '<CCN>4***********2220</CCN>', '<RST>OK:678594:</RST>'],
    ['GetCreditCardRejectSpecificDateXML', 'CARD-NO', '<CCN>4***********1111</CCN>', '<RST>REJ:15</RST>'],
    ['GetACHEFTApprovedSpecificDateXML', 'BANK-OK', '<ACN>0*********************0001</ACN>', '<RST>OK:555555:</RST>'],
    ['GetACHEFTRejectSpecificDateXML', 'BANK-NO', '<ACTYP>CHECKING</ACTYP>', '<RST>REJ:40</RST>'],
  ])('%s tells of the payment of its kind', async (report, invoice, ...texts) => {
    const sandbox = await withPayments();
    const answer = await callSandbox(sandbox, report, DAY, { path });
    expect([...answer.matchAll(/<INV>([^<]*)</g)].map(([, found]) => found)).toEqual([invoice]);
    for (const text of texts) expect(answer).toContain(text);
  });

  it('tells of a bank payment that came back, and no longer among the approved', async () => {
    const sandbox = await withPayments();
    sandbox.clock.advance(30 * 24 * 3600 * 1000);
    const toDate = '2017-08-01T00:00:00Z';
    expect(await fileOf(sandbox, 'GetACHEFTReturnDateRangeCSV', { ...RANGE, toDate })).toContain('BANK-OK');
    expect(await fileOf(sandbox, 'GetACHEFTApprovedDateRangeCSV', { ...RANGE, toDate })).not.toContain('BANK-OK');
  });

  it.each(STYLES)('answers in %s, and with titles alone when nothing was booked', async (style) => {
    const sandbox = await sandboxes.start({ now });
    const titles =
      'Invoice,Date,Agent,Customer Code,CCType,First Name, Last Name, Card Number, Expire, Total, Result, Detail,Transaction ID\r\n';
    const file = Buffer.from(titles).toString('base64');
    const element = 'GetCreditCardApprovedSpecificDateCSV';
    expect(await callSandbox(sandbox, element, DAY, { path, style })).toBe(
      goldenAnswer(element, `<STATUS>Success</STATUS><ERRORS /><FILE>${file}</FILE>`, style),
    );
  });

  it.each([
    ['GetCreditCardRejectSpecificDateCSV', { date: '2050-01-01T00:00:00-08:00' }, '<FILE />'],
    ['GetCreditCardRejectSpecificDateXML', { date: '2050-01-01T00:00:00-08:00' }, '<JOURNALREPORT />'],
    [
      'GetCreditCardRejectDateRangeCSV',
      { fromDate: '2050-01-01T00:00:00Z', toDate: '2050-01-02T00:00:00Z' },
      '<FILE />',
    ],
    ['GetCreditCardBankReconciliationReportCSV', { ...RANGE, currency: 'USD', summaryOnly: 'false' }, '<FILE />'],
    ['GetACHEFTBankReconciliationReportCSV', { ...RANGE, currency: 'USD', summaryOnly: '0' }, '<FILE />'],
  ])('%s is empty for %j', async (element, fields, payload) => {
    const sandbox = await withPayments();
    expect(await callSandbox(sandbox, element, fields, { path })).toBe(
      goldenAnswer(element, `<STATUS>Success</STATUS><ERRORS />${payload}`),
    );
  });

  it.each(Object.keys(REPORTS) as ReportName[])('%s refuses a wrong login in its way', async (report) => {
    const sandbox = await sandboxes.start({ now });
    const login = { ...LOGIN, password: 'wrong' };
    const payload = report.endsWith('XML') ? '<JOURNALREPORT />' : '<FILE />';
    expect(await callSandbox(sandbox, wireName(report), {}, { path, login })).toBe(
      goldenAnswer(wireName(report), `<STATUS>Failure</STATUS><ERRORS>Bad Credentials</ERRORS>${payload}`),
    );
  });

  it('offers reports of bank payments to North America only', async () => {
    const sandbox = await sandboxes.start({ now, accounts: [UK] });
    const login = { agentCode: UK.agentCode, password: UK.password };
    const error = '<STATUS>Failure</STATUS><ERRORS>Service cannot be used on this server.</ERRORS>';
    expect(await callSandbox(sandbox, 'GetACHEFTApprovedSpecificDateCSV', DAY, { path, login })).toContain(error);
    const card = await callSandbox(sandbox, 'GetCreditCardApprovedSpecificDateCSV', DAY, { path, login });
    expect(card).toContain('<STATUS>Success</STATUS>');
  });

  it('shows nobody what another account paid', async () => {
    const other: Account = { agentCode: 'OTHER1', password: 'OTHER1' };
    const sandbox = await withPayments([{ agentCode: 'TEST88', password: 'TEST88' }, other]);
    const login = { agentCode: 'OTHER1', password: 'OTHER1' };
    const answer = await callSandbox(sandbox, 'GetCreditCardApprovedSpecificDateXML', DAY, { path, login });
    expect(answer).toContain('<JOURNALREPORT />');
  });

  it('cannot read a date that is none', async () => {
    const sandbox = await sandboxes.start({ now });
    const answer = await callSandbox(sandbox, 'GetCreditCardApprovedSpecificDateXML', { date: 'today' }, { path });
    expect(answer).toContain('The string is not a valid AllXsd value.');
  });
});

const FROM = { from: RANGE.fromDate, to: RANGE.toDate };
const SUMS = { ...RANGE, currency: 'USD', summaryOnly: 'false' };

/** The names of version 1 in the order of its description, and what each is called today. Two share a name there. */
const FIRST: readonly (readonly [element: string, fields: Fields, today: string])[] = [
  ['GetCCJournalCSV_x0020_V1', DAY, 'GetCreditCardApprovedSpecificDateCSV'],
  ['GetCreditCardJournalCSVV1', DAY, 'GetCreditCardApprovedSpecificDateCSV'],
  ['GetCreditCardJournalV1', DAY, 'GetCreditCardApprovedSpecificDateXML'],
  ['GetCreditCardRejectCSVV1', DAY, 'GetCreditCardRejectSpecificDateCSV'],
  ['GetCreditCardRejectV1', DAY, 'GetCreditCardRejectSpecificDateXML'],
  ['GetACHJournalCSV_x0020_V1', DAY, 'GetACHEFTApprovedSpecificDateCSV'],
  ['GetACHEFTJournalCSVV1', DAY, 'GetACHEFTApprovedSpecificDateCSV'],
  ['GetACHEFTJournalV1', DAY, 'GetACHEFTApprovedSpecificDateXML'],
  ['GetACHEFTRejectCSVV1', DAY, 'GetACHEFTRejectSpecificDateCSV'],
  ['GetACHEFTRejectV1', DAY, 'GetACHEFTRejectSpecificDateXML'],
  ['GetACHEFTReturnCSVV1', DAY, 'GetACHEFTReturnSpecificDateCSV'],
  ['GetACHEFTReturnV1', DAY, 'GetACHEFTReturnSpecificDateXML'],
  ['GetCCPaymentBoxJournalCSV_x0020_V1', FROM, 'GetCreditCardApprovedDateRangeCSV'],
  ['GetCreditCardPaymentBoxJournalCSVV1', RANGE, 'GetCreditCardApprovedDateRangeCSV'],
  ['GetCreditCardPaymentBoxRejectCSVV1', RANGE, 'GetCreditCardRejectDateRangeCSV'],
  ['GetACHEFTPaymentBoxJournalCSV_x0020_V1', FROM, 'GetACHEFTApprovedDateRangeCSV'],
  ['GetACHEFTPaymentBoxJournalCSVV1', RANGE, 'GetACHEFTApprovedDateRangeCSV'],
  ['GetACHEFTPaymentBoxRejectCSVV1', RANGE, 'GetACHEFTRejectDateRangeCSV'],
  ['GetCreditCardBankReconciliationReportCSVV1', SUMS, 'GetCreditCardBankReconciliationReportCSV'],
  ['GetACHEFTBankReconciliationReportCSVV1', SUMS, 'GetACHEFTBankReconciliationReportCSV'],
  ['GetACHEFTPaymentBoxJournalCSVV2', RANGE, 'GetACHEFTApprovedDateRangeCSV'],
];
const OLD_PATH = '/netgate/reportlink.asmx';
const actionOf = (element: string) => element.replace('_x0020_', ' ');

describe('version 1 of ReportLink', () => {
  it.each(FIRST)('%s answers in its own form', async (element, fields, today) => {
    const sandbox = await withPayments();
    const current = await callSandbox(sandbox, today, 'from' in fields ? RANGE : fields, { path });
    const inner = /Result>(.*)<\/\w+Result>/.exec(current)?.[1] ?? '';
    const bare = `>${valueOf(current, 'FILE')}<`;
    const request = soapRequest(element, { ...LOGIN, ...fields }, 'soap 1.1');
    const headers = { ...request.headers, SOAPAction: `"${NAMESPACE}${actionOf(element)}"` };
    const { text } = await post(sandbox.url + OLD_PATH, { ...request, headers });
    expect(text).toContain(element.includes('_x0020_') ? bare : inner);
    expect(text).toMatch(
      new RegExp(`<${element}Response xmlns="${NAMESPACE}"><${element}Result>[^]*</${element}Result>`),
    );
    expect(await callSandbox(sandbox, element, fields, { path: OLD_PATH, style: 'soap 1.2 without action' })).toContain(
      element.includes('_x0020_') ? bare : inner,
    );
  });

  it('shows a payment by an old name, and where a file is all, no more than the file', async () => {
    const sandbox = await withPayments();
    const day = 'GetCCJournalCSV_x0020_V1';
    for (const [element, fields] of [
      ['GetCCPaymentBoxJournalCSV_x0020_V1', FROM],
      [day, DAY],
    ] as const) {
      const answer = await callSandbox(sandbox, element, fields, { path: OLD_PATH });
      const file = Buffer.from(answer.replace(/<[^>]*>/g, ''), 'base64').toString();
      expect(file).toContain('CARD-OK');
      expect(file).not.toContain('CARD-NO');
    }
    const login = { ...LOGIN, password: 'wrong' };
    expect(await callSandbox(sandbox, day, DAY, { path: OLD_PATH, login })).toContain(
      `<${day}Result /></${day}Response>`,
    );
  });

  it('describes exactly these, with their actions and types', async () => {
    const { url } = await sandboxes.start();
    const text = await (await fetch(`${url}${OLD_PATH}?WSDL`)).text();
    const binding = /<wsdl:binding name="ReportLinkSoap"[^]*?<\/wsdl:binding>/.exec(text)?.[0] ?? '';
    const described = [
      ...binding.matchAll(/operation name="(\w+)"><soap:operation soapAction="([^"]*)"[^>]*><wsdl:input name="(\w+)"/g),
    ];
    expect(described.map(([, name, action, element]) => [name, action, element])).toEqual(
      FIRST.map(([element]) => {
        const name = element.endsWith('V2') ? element : element.replace(/(?:_x0020_)?V1$/, '');
        return [name, NAMESPACE + actionOf(element), element];
      }),
    );
    for (const [element, fields] of FIRST) {
      const schema = new RegExp(`<s:element name="${element}">([^]*?)</s:complexType>`).exec(text)?.[1] ?? '';
      const names = [...schema.matchAll(/name="(\w+)"/g)].map(([, name]) => name);
      const address = element.includes('_x0020_') ? [] : ['customerIPAddress'];
      expect(names).toEqual(['agentCode', 'password', ...Object.keys(fields), ...address]);
      expect(text.includes(`name="${element}Result" type="s:base64Binary"`)).toBe(element.includes('_x0020_'));
    }
  });

  it('lists what it has when a name is unknown there, and its names are unknown elsewhere', async () => {
    const sandbox = await sandboxes.start();
    for (const element of [
      'GetCreditCardApprovedSpecificDateXML',
      'GetCreditCardRejectSpecificDateXMLV1',
      'GetCCJournalCSV',
    ]) {
      const answer = await callSandbox(sandbox, element, DAY, { path: OLD_PATH });
      expect(answer).toContain(
        `SOAPAction: ${NAMESPACE}${element}. ReportLink version 1 has: ${FIRST.map(([name]) => name).join(', ')}.`,
      );
    }
    for (const element of ['GetCreditCardJournalV1', 'GetCreditCardRejectSpecificDateXMLV1']) {
      expect(await callSandbox(sandbox, element, DAY, { path })).toMatch(/SOAPAction: \S+V1\.</);
    }
  });

  it('is struck by a fault planned for the report of today', async () => {
    const sandbox = await sandboxes.start();
    sandbox.faults.plan({ kind: 'soap-fault-server', operation: 'getCreditCardApprovedSpecificDateXML' });
    expect(await callSandbox(sandbox, 'GetCreditCardRejectV1', DAY, { path: OLD_PATH })).toContain('Success');
    expect(await callSandbox(sandbox, 'GetCreditCardJournalV1', DAY, { path: OLD_PATH })).toContain('Receiver');
  });
});

/** Starts a sandbox with a payment of each kind: approved and declined, by card and bank account. */
async function withPayments(accounts?: readonly Account[]): Promise<Sandbox> {
  const sandbox = await sandboxes.start({ now, ...(accounts ? { accounts } : {}) });
  const card = { ...NAME, creditCardExpiry: '12/20', mop: 'VISA' };
  const bank = { ...NAME, accountType: 'CHECKING', total: '3.00' };
  await charge(sandbox, 'ProcessCreditCard', {
    ...card,
    invoiceNum: 'CARD-OK',
    creditCardNum: '4222222222222220',
    total: '5.00',
  });
  await charge(sandbox, 'ProcessCreditCard', {
    ...card,
    invoiceNum: 'CARD-NO',
    creditCardNum: '4111111111111111',
    total: '2.00',
  });
  await charge(sandbox, 'ProcessACHEFT', { ...bank, invoiceNum: 'BANK-OK', accountNum: BANK_NUMBER });
  await charge(sandbox, 'ProcessACHEFT', { ...bank, invoiceNum: 'BANK-NO', accountNum: '1' });
  return sandbox;
}

async function charge(sandbox: Sandbox, element: string, fields: Record<string, string>): Promise<void> {
  expect(await callSandbox(sandbox, element, fields)).toContain('<STATUS>Success</STATUS>');
}

async function fileOf(sandbox: Sandbox, element: string, fields: Record<string, string>): Promise<string> {
  return Buffer.from(valueOf(await callSandbox(sandbox, element, fields, { path }), 'FILE'), 'base64').toString('utf8');
}
