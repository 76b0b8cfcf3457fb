import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { SoapVersion } from '../../../src/sandbox/soap/write-envelope.ts';
import { systemCode } from '../../../src/kernel/errors.ts';

/** The three ways in which clients call the service. */
export type Style = 'soap 1.1' | 'soap 1.2 with action' | 'soap 1.2 without action';
export const STYLES: readonly Style[] = ['soap 1.1', 'soap 1.2 with action', 'soap 1.2 without action'];

export const NAMESPACE = 'https://www.iatspayments.com/NetGate/';
const ENVELOPE_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const ENVELOPE_12 = 'http://www.w3.org/2003/05/soap-envelope';

export type Fields = Readonly<Record<string, string>>;
export type SoapRequest = { readonly headers: Record<string, string>; readonly body: string };

export const LOGIN: Fields = { agentCode: 'TEST88', password: 'TEST88' };

const NO_NAMES: Fields = { firstName: '', lastName: '' };
const NO_PAYER: Fields = { ...NO_NAMES, address: '', city: '', state: '', zipCode: '' };

/** The least that a strict sandbox wants of a call, besides what the call is about. */
const LEAST: Readonly<Record<string, Fields>> = {
  ProcessCreditCard: { ...NO_PAYER, creditCardExpiry: '12/35', mop: 'VISA' },
  CreateCustomerCodeAndProcessCreditCard: { ...NO_PAYER, ccExp: '12/35' },
  ProcessACHEFT: { accountType: 'CHECKING' },
  CreateCustomerCodeAndProcessACHEFT: { ...NO_PAYER, accountType: 'CHECKING' },
  CreateCreditCardCustomerCode: NO_PAYER,
  CreateACHEFTCustomerCode: NO_NAMES,
};

/** Returns a request as a client of that style writes it, with what a strict sandbox wants. */
export function soapRequest(element: string, fields: Fields, style?: Style): SoapRequest {
  return bareRequest(element, { ...fields, ...LEAST[element.replace(/V1$/, '')], ...fields }, style);
}

/** Returns a request with these elements and no others. */
export function bareRequest(element: string, fields: Fields, style: Style = 'soap 1.2 with action'): SoapRequest {
  const action = `${NAMESPACE}${element}`;
  switch (style) {
    case 'soap 1.1':
      return {
        headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${action}"` },
        body:
          `<?xml version="1.0" encoding="utf-8"?>\n<s:Envelope xmlns:s="${ENVELOPE_11}">\n  <s:Body>\n    ` +
          `<${element} xmlns="${NAMESPACE}">${childrenOf(fields)}</${element}>\n  </s:Body>\n</s:Envelope>`,
      };
    case 'soap 1.2 with action':
      return {
        headers: { 'Content-Type': `application/soap+xml; charset=utf-8; action="${action}"` },
        body:
          `<env:Envelope xmlns:env="${ENVELOPE_12}" xmlns:ns1="${NAMESPACE}"><env:Body>` +
          `<ns1:${element}>${childrenOf(fields, 'ns1:')}</ns1:${element}></env:Body></env:Envelope>`,
      };
    case 'soap 1.2 without action': {
      const reversed = Object.fromEntries(Object.entries(fields).reverse());
      return {
        headers: { 'Content-Type': 'application/soap+xml; charset=utf-8' },
        body:
          `<soap12:Envelope xmlns:soap12="${ENVELOPE_12}"><soap12:Body><${element} xmlns="${NAMESPACE}">` +
          `${childrenOf(reversed)}</${element}></soap12:Body></soap12:Envelope>`,
      };
    }
  }
}

function childrenOf(fields: Fields, prefix = ''): string {
  const children = Object.entries(fields).map(([name, text]) => `<${prefix}${name}>${text}</${prefix}${name}>`);
  return children.join('');
}

export function versionOf(style: Style): SoapVersion {
  return style === 'soap 1.1' ? '1.1' : '1.2';
}

/** Wraps an answer as the service does. */
export function goldenAnswer(element: string, inner: string, style: Style = 'soap 1.2 with action'): string {
  return goldenEnvelope(
    `<${element}Response xmlns="${NAMESPACE}"><${element}Result><IATSRESPONSE xmlns="">${inner}` +
      `</IATSRESPONSE></${element}Result></${element}Response>`,
    style,
  );
}

export function goldenEnvelope(body: string, style: Style = 'soap 1.2 with action'): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${style === 'soap 1.1' ? ENVELOPE_11 : ENVELOPE_12}" ` +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
    `<soap:Body>${body}</soap:Body></soap:Envelope>`
  );
}

/** Posts a request and returns status, headers and text. */
export async function post(
  address: string,
  request: SoapRequest,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(address, { method: 'POST', headers: request.headers, body: request.body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export const PATH = '/NetGate/ProcessLinkv2.asmx';

/** Submits a batch of rows and returns its id. */
export async function submitBatch(url: string, element: string, rows: string, login: Fields = LOGIN): Promise<string> {
  const { text } = await post(url + PATH, soapRequest(element, { ...login, batchFile: toBase64(rows) }));
  const batchId = /<BATCHID>(\d+)<\/BATCHID>/.exec(text)?.[1];
  if (batchId === undefined) throw new Error(`no batch id in the answer: ${text}`);
  return batchId;
}

/** Returns the result file of a finished batch. */
export async function fetchResult(url: string, batchId: string, login: Fields = LOGIN): Promise<string> {
  const { text } = await post(url + PATH, soapRequest('GetBatchProcessResultFile', { ...login, batchId }));
  const file = /<BATCHPROCESSRESULTFILE>([^<]*)</.exec(text)?.[1];
  if (file === undefined) throw new Error(`no result file in the answer: ${text}`);
  return Buffer.from(file, 'base64').toString('utf8');
}

export function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** How a connection ended for the client, and what it had read. */
type RawEnd = { readonly text: string; readonly error: string | undefined };

/** Connects, writes, and reads until the connection is gone. It never ends it itself. */
export async function exchangeRaw(port: number, bytes: string | undefined): Promise<RawEnd> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false });
  const end = watchEnd(socket);
  if (bytes !== undefined) socket.write(bytes);
  return end;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false });
  await once(socket, 'connect');
  return socket;
}

export function watchEnd(socket: Socket): Promise<RawEnd> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let error: string | undefined;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (broken) => {
      error = systemCode(broken);
    });
    socket.on('close', () => resolve({ text: Buffer.concat(chunks).toString('latin1'), error }));
  });
}

/** Returns a card charge as HTTP: its head and its body. */
export function rawCharge(): { readonly head: string; readonly body: string } {
  const { headers, body } = soapRequest('ProcessCreditCard', {
    ...LOGIN,
    invoiceNum: 'RAW-1',
    creditCardNum: '4222222222222220',
    creditCardExpiry: '12/35',
    total: '5.00',
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${PATH} HTTP/1.1\r\nHost: h\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n`;
  return { head, body };
}

/** Everything a card record can hold, as clients send it. */
export const CARD_RECORD: Fields = {
  firstName: 'Ada',
  lastName: 'Byron',
  companyName: 'Engine Co.',
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  phone: '555-555-1234',
  fax: '555-555-4321',
  alternatePhone: '555-555-5555',
  email: 'ada@example.com',
  comment: 'note',
  recurring: 'true',
  amount: '5',
  beginDate: '2017-06-16T00:00:00+00:00',
  endDate: '2027-06-15',
  scheduleType: 'Weekly',
  scheduleDate: '7',
  creditCardCustomerName: 'Ada Byron',
  creditCardNum: '4222222222222220',
  creditCardExpiry: '12/20',
  mop: 'VISA',
};

/** A bank record with the least that clients send. */
export const BANK_RECORD: Fields = {
  firstName: 'Ada',
  lastName: 'Byron',
  recurring: '0',
  beginDate: '2017-06-16',
  endDate: '2017-06-16',
  accountNum: '02100002100000000000000001',
  accountType: 'CHECKING',
};

/** XML of the two records. */
export const CARD_XML =
  '<CST><CSTC>A10000001</CSTC><FN>Ada</FN><LN>Byron</LN><CO>Engine Co.</CO><ADD>1 Some Road</ADD><CTY>Troy</CTY>' +
  '<ST>NY</ST><CNT /><ZC>12180</ZC><PH>555-555-1234</PH><MB>555-555-5555</MB><FX>555-555-4321</FX>' +
  '<EM>ada@example.com</EM><CM>note</CM><RCR><AMT>5</AMT><BD>2017-06-16T00:00:00</BD><ED>2027-06-15T00:00:00</ED>' +
  '<SCHTYP>Weekly</SCHTYP><SCHD>7</SCHD><ACT>true</ACT></RCR><AC1 type="CC"><CC><CSTN>Ada Byron</CSTN><MP>VISA</MP>' +
  '<CCN>4***********2220</CCN><EXP>12/20</EXP></CC></AC1><AC2 /></CST>';

export const BANK_XML =
  '<CST><CSTC>A10000002</CSTC><FN>Ada</FN><LN>Byron</LN><CO /><ADD /><CTY /><ST /><CNT /><ZC /><PH /><MB /><FX />' +
  '<EM /><CM /><RCR><AMT /><BD>2017-06-16T00:00:00</BD><ED>2017-06-16T00:00:00</ED><SCHTYP /><SCHD /><ACT>false</ACT></RCR>' +
  '<AC1 type="ACH"><ACH><CSTN /><ACN>0*********************0001</ACN><ACTYP>CHECKING</ACTYP></ACH></AC1><AC2 /></CST>';
