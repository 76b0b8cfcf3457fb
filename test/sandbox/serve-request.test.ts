import { describe, expect, it } from 'vitest';
import { readXml } from '../../src/sandbox/xml/read-xml.ts';
import type { HttpCall, Reply } from '../../src/sandbox/reply.ts';
import { guidePage, helpPage, operationPage, serveRequest } from '../../src/sandbox/serve-request.ts';
import { type DescribedOperation, describeOperations, type ServiceName, wireName } from '../../schemas/wsdl.ts';
import type { WireOperation } from '../../schemas/wire.ts';
import { servedOperations } from '../../src/sandbox/handlers/handlers.ts';
import type { HandlerContext } from '../../src/sandbox/handlers/handler.ts';
import { batchSubmission } from '../../src/sandbox/handlers/batches.ts';
import { makeCall, makeContext } from './support/make-context.ts';
import { goldenAnswer, LOGIN, soapRequest, toBase64 } from './support/soap-request.ts';

const OWN_URL = 'http://127.0.0.1:1234';

describe('serveRequest', () => {
  it.each([
    '/NetGate/ProcessLink.asmx',
    '/NetGate/ProcessLinkv2.asmx',
    '/NetGate/ProcessLinkv3.asmx?op=GetBatchProcessResultFile',
    '/NetGate/processlinkv4.asmx',
    '/netgate/PROCESSLINKV2.ASMX',
  ])('answers calls at %s', async (url) => {
    const { headers, body } = soapRequest('GetBatchProcessResultFile', LOGIN);
    const reply = await serve({ method: 'POST', headers: { 'content-type': headers['Content-Type'] }, body }, url);
    expect(reply.status).toBe(200);
    expect(reply.body).toContain(goldenAnswer('GetBatchProcessResultFile', '').slice(0, 300));
  });

  it.each([
    '/NetGate/CustomerLink.asmx',
    '/NetGate/Customerlinkv2.asmx',
    '/netgate/CUSTOMERLINKV3.asmx',
    '/NetGate/customerlinkv4.asmx?op=DeleteCustomerCode',
  ])('answers calls and describes itself at %s', async (url) => {
    const { headers, body } = soapRequest('DeleteCustomerCode', { ...LOGIN, customerCode: '-1' });
    const reply = await serve({ method: 'POST', headers: { 'content-type': headers['Content-Type'] }, body }, url);
    expect(reply.body).toContain('<CUSTOMERCODE>"-1" is deleted</CUSTOMERCODE>');
    const description = String((await serve({}, `${url.replace(/[?].*/, '')}?WSDL`)).body);
    expect(description).toContain('<wsdl:service name="CustomerLink">');
    const described = [...description.matchAll(/<wsdl:operation name="(\w+)"><wsdl:input m/g)].map(([, name]) => name);
    expect(described.sort()).toEqual(servedOperations('CustomerLink').map(wireName).sort());
    expect(description.includes('name="DeleteCustomerCodeV1"')).toBe(url.endsWith('CustomerLink.asmx'));
  });

  it.each([
    '/NetGate/ReportLinkv2.asmx?op=GetCreditCardApprovedSpecificDateXML',
    '/netgate/REPORTLINKV3.asmx',
    '/NetGate/reportlinkv4.asmx',
  ])('answers calls and describes itself at %s', async (url) => {
    const fields = { ...LOGIN, date: '2026-06-15T12:00:00Z' };
    const { headers, body } = soapRequest('GetCreditCardApprovedSpecificDateXML', fields);
    const reply = await serve({ method: 'POST', headers: { 'content-type': headers['Content-Type'] }, body }, url);
    expect(reply.body).toContain('<STATUS>Success</STATUS><ERRORS /><JOURNALREPORT />');
    const description = String((await serve({}, `${url.replace(/[?].*/, '')}?WSDL`)).body);
    expect(description).toContain('<wsdl:service name="ReportLink">');
    const described = [...description.matchAll(/<wsdl:operation name="(\w+)"><wsdl:input m/g)].map(([, name]) => name);
    expect(described.sort()).toEqual(servedOperations('ReportLink').map(wireName).sort());
  });

  it.each([
    '/NetGate/ProcessLinkv5.asmx',
    '/NetGate/ProcessLinkv2.asmx/ProcessCreditCardBatch',
    '/NetGate/CustomerLinkv1.asmx',
    '/NetGate/ManagementLinkV2.asmx',
    '/ProcessLinkv2.asmx',
    '/sandbox/Books',
  ])('has nothing at %s', async (url) => {
    expect((await serve({}, url)).status).toBe(404);
  });

  it.each(['?WSDL', '?wsdl', '?Wsdl=', '?singleWsdl&wsdl'])('gives the description for %s', async (query) => {
    const reply = await serve({ headers: { host: 'pay.example:8080' } }, `/netgate/ProcessLinkV2.asmx${query}`);
    expect(reply).toMatchObject({ status: 200, contentType: 'text/xml; charset=utf-8' });
    expect(readXml(String(reply.body))).toMatchObject({ name: 'definitions' });
    const locations = String(reply.body).match(/location="[^"]*"/g);
    expect(locations).toEqual(Array(2).fill('location="http://pay.example:8080/netgate/ProcessLinkV2.asmx"'));
    const described = [...String(reply.body).matchAll(/<wsdl:operation name="(\w+)"><wsdl:input m/g)];
    const served = servedOperations('ProcessLink').map(wireName);
    expect(described.map(([, name]) => name).sort()).toEqual(served.sort());
  });

  it.each<[Record<string, string>, string]>([
    [{ host: 'h', 'x-forwarded-proto': 'https' }, 'https://h'],
    [{ host: 'h', 'x-forwarded-proto': 'HTTPS, http' }, 'https://h'],
    [{ host: 'h', 'x-forwarded-proto': 'http' }, 'http://h'],
    [{ host: 'h', 'x-forwarded-proto': '"><x' }, 'http://h'],
    [{ host: '[::1]:80' }, 'http://[::1]:80'],
    [{ host: 'h"><x' }, OWN_URL],
    [{}, OWN_URL],
  ])('takes the address from %j', async (headers, base) => {
    const reply = await serve({ headers }, '/NetGate/ProcessLinkv2.asmx?WSDL');
    expect(reply.body).toContain(`location="${base}/NetGate/ProcessLinkv2.asmx"`);
  });

  it('describes the first version by its own names', async () => {
    expect((await serve({}, '/NetGate/ProcessLink.asmx?WSDL')).body).toContain('name="ProcessCreditCardBatchV1"');
    expect((await serve({}, '/NetGate/ProcessLinkv3.asmx?WSDL')).body).not.toContain('V1');
  });

  it.each(['', '?op=ProcessCreditCardBatch'])('shows the help page for a service with the query %j', async (query) => {
    const reply = await serve({}, `/NetGate/ProcessLinkv2.asmx${query}`);
    expect(reply).toMatchObject({ status: 200, contentType: 'text/html; charset=utf-8' });
    expect(reply.body).toContain('ProcessCreditCardBatch');
  });

  it('shows the guide', async () => {
    const reply = await serve({ headers: { host: 'h' } }, '/sandbox/guide');
    expect(reply.body).toContain('http://h/NetGate/ProcessLinkv2.asmx?WSDL');
  });

  it('knows nothing to POST at other addresses', async () => {
    expect((await serve({ method: 'POST' }, '/NetGate/Nonsense.asmx')).status).toBe(404);
  });

  it.each([
    ['ProcessLinkv2.asmx?op=ProcessCreditCardBatch', '<h1>ProcessCreditCardBatch</h1>', '&lt;ProcessCreditCardBatch '],
    [
      'processlink.asmx?op=processcreditcardbatchv1',
      '<h1>ProcessCreditCardBatch</h1>',
      '&lt;ProcessCreditCardBatchV1 ',
    ],
    ['ProcessLinkv2.asmx?op=DeleteCustomerCode', '<h1>ProcessLink</h1>', 'ProcessCreditCardBatch'],
    ['ProcessLinkv2.asmx?op=', '<h1>ProcessLink</h1>', 'ProcessCreditCardBatch'],
  ])('shows the page of %s', async (path, title, text) => {
    const { body } = await serve({ headers: { host: 'h' } }, `/NetGate/${path}`);
    expect(body).toContain(title);
    expect(body).toContain(text);
  });

  it('gives the books one row a line, all or since a batch', async () => {
    const { context } = await makeContext();
    for (const file of ['a\nb', 'c']) {
      await batchSubmission('card').answer(makeCall('processCreditCardBatch', { batchFile: toBase64(file) }), context);
    }
    const all = await serve({}, '/sandbox/books', context);
    expect(all.contentType).toBe('application/x-ndjson');
    expect(linesOf(all)).toEqual(context.books.rows());
    expect(linesOf(await serve({}, '/sandbox/books?since=1000001', context))).toEqual(context.books.rows().slice(2));
    expect(linesOf(await serve({}, '/sandbox/books?since=1000002', context))).toEqual([]);
    expect((await serve({}, '/sandbox/books?since=yesterday', context)).status).toBe(400);
  });
});

type Asked = { method?: string; headers?: HttpCall['headers']; body?: string };

async function serve(asked: Asked, url: string, context?: HandlerContext): Promise<Reply> {
  const [path = '', query = ''] = url.split('?');
  const call: HttpCall = {
    method: asked.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: asked.headers ?? {},
    body: Buffer.from(asked.body ?? ''),
  };
  return serveRequest(call, context ?? (await makeContext()).context, OWN_URL);
}

function linesOf({ body }: Reply): unknown[] {
  const lines = String(body).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line));
}

function described(service: ServiceName, operation: WireOperation, suffix: '' | 'V1' = ''): DescribedOperation {
  const [row] = describeOperations(service, suffix, [operation]);
  if (!row) throw new Error(`${service} has no ${operation}`);
  return row;
}

const ADDRESS = 'http://127.0.0.1:8899/NetGate/ProcessLinkv2.asmx';

describe('operationPage', () => {
  it('shows a request in both versions of SOAP, with every element in its order', () => {
    const { status, contentType, body } = operationPage(described('ProcessLink', 'getBatchProcessResultFile'), ADDRESS);
    expect([status, contentType]).toEqual([200, 'text/html; charset=utf-8']);
    const page = String(body).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
    expect(page).toContain('<h1>GetBatchProcessResultFile</h1><p>Get the results of a batch.</p>');
    expect(page.match(/POST .*\nHost: .*/g)).toEqual(
      Array(2).fill('POST /NetGate/ProcessLinkv2.asmx HTTP/1.1\nHost: 127.0.0.1:8899'),
    );
    expect(page).toContain('SOAPAction: "https://www.iatspayments.com/NetGate/GetBatchProcessResultFile"');
    expect(page).toContain('; action="https://www.iatspayments.com/NetGate/GetBatchProcessResultFile"');
    const fields = [
      '<agentCode>text</agentCode>',
      '<password>text</password>',
      '<customerIPAddress>ipv4</customerIPAddress>',
      '<batchId>text</batchId>',
    ];
    expect(page.match(/<(\w+)>(text|ipv4)<\/\1>/g)).toEqual([...fields, ...fields]);
  });

  it('shows the names of version 1 where they are used', () => {
    const { body } = operationPage(described('CustomerLink', 'deleteCustomerCode', 'V1'), ADDRESS);
    expect(body).toContain('NetGate/DeleteCustomerCodeV1&quot;');
    expect(body).toContain('&lt;DeleteCustomerCodeV1 xmlns=');
  });
});

const BASE = 'http://127.0.0.1:8899';

describe('guidePage', () => {
  const { body, contentType } = guidePage(BASE, [
    { agentCode: 'TEST88', password: 'not-to-be-shown' },
    { agentCode: 'UDDD88', password: 'not-to-be-shown', server: 'UK' },
  ]);

  it('says what it is and links every description of a service that is served', () => {
    expect(contentType).toBe('text/html; charset=utf-8');
    expect(body).toContain('<h1>Payment service sandbox</h1>');
    for (const version of ['', 'v2', 'v3', 'v4']) {
      expect(body).toContain(`<a href="${BASE}/NetGate/ProcessLink${version}.asmx?WSDL">`);
      expect(body).toContain(`<a href="${BASE}/NetGate/CustomerLink${version}.asmx?WSDL">`);
      expect(body).toContain(`<a href="${BASE}/NetGate/ReportLink${version}.asmx?WSDL">`);
    }
  });

  it('lists the cards and what they answer', () => {
    expect(body).toContain('<li>4222222222222220: all amounts: OK: 678594:</li>');
    expect(body).toContain('6.00: OK: 678594:X;');
    expect(body).toContain('192.00: OK: 678594: (bad IP address: REJECT: 5); other amounts: REJECT: 15</li>');
    expect(body).toContain('15.00: REJECT: 19 (security code 1234: OK: 678594:Y);');
    expect(body).toContain('Any card above 2000.00: REJECT: 39');
    expect(body).toContain('OK: 555555: in a single charge');
    expect(body).toContain('<li>card has expired: 4000000000000242 REJECT: 24</li>');
  });

  it('shows accounts without their passwords', () => {
    expect(body).toContain('<li>TEST88 (NA and UK)</li><li>UDDD88 (UK)</li>');
    expect(body).not.toContain('not-to-be-shown');
  });
});

describe('helpPage', () => {
  it('lists the operations with their elements', () => {
    const { body } = helpPage('ProcessLink', `${BASE}/NetGate/ProcessLinkv2.asmx`, [
      described('ProcessLink', 'getBatchProcessResultFile'),
    ]);
    expect(body).toContain('<h1>ProcessLink</h1>');
    expect(body).toContain(`<a href="${BASE}/NetGate/ProcessLinkv2.asmx?WSDL">`);
    expect(body).toContain(
      'GetBatchProcessResultFile: Get the results of a batch (agentCode, password, customerIPAddress, batchId)',
    );
    const reports = helpPage('ReportLink', BASE, [described('ReportLink', 'getACHEFTReturnSpecificDateXML')]);
    expect(reports.body).toContain(
      'GetACHEFTReturnSpecificDateXML: Returned bank payments of a day, as XML (agentCode, password, date, customerIPAddress)',
    );
  });
});
