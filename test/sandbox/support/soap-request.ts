import type { SoapVersion } from '../../../src/sandbox/soap/write-envelope.ts';

/** The three ways in which clients call the service. */
export type Style = 'soap 1.1' | 'soap 1.2 with action' | 'soap 1.2 without action';
export const STYLES: readonly Style[] = ['soap 1.1', 'soap 1.2 with action', 'soap 1.2 without action'];

export const NAMESPACE = 'https://www.iatspayments.com/NetGate/';
const ENVELOPE_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const ENVELOPE_12 = 'http://www.w3.org/2003/05/soap-envelope';

export type Fields = Readonly<Record<string, string>>;
export type SoapRequest = { readonly headers: Record<string, string>; readonly body: string };

export const LOGIN: Fields = { agentCode: 'TEST88', password: 'TEST88' };

/** Returns a request as a client of that style writes it. */
export function soapRequest(element: string, fields: Fields, style: Style = 'soap 1.2 with action'): SoapRequest {
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
