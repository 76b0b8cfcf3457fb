import { SERVICE_NAMESPACE } from '../../../schemas/operations.ts';
import type { Reply } from '../reply.ts';
import { element, textElement } from '../xml/write-xml.ts';

export type SoapVersion = '1.1' | '1.2';

/**
 * Why a request got no answer from its operation. `blame` is the side that must change something; `header` blames a
 * header of the client that had to be understood.
 */
export type SoapFault = {
  readonly version: SoapVersion;
  readonly blame: 'client' | 'server' | 'header';
  readonly fault: string;
};

/** What an operation answers. `payload` is XML: the one element after STATUS and ERRORS. */
export type Answer = { readonly payload: string; readonly error?: string };

export const ENVELOPE_NAMESPACES = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const satisfies Record<SoapVersion, string>;

export const CONTENT_TYPES = {
  '1.1': 'text/xml; charset=utf-8',
  '1.2': 'application/soap+xml; charset=utf-8',
} as const satisfies Record<SoapVersion, string>;

/** Fault codes by the side to blame, in each version. */
const FAULT_CODES = {
  client: { '1.1': 'soap:Client', '1.2': 'soap:Sender' },
  server: { '1.1': 'soap:Server', '1.2': 'soap:Receiver' },
  header: { '1.1': 'soap:MustUnderstand', '1.2': 'soap:MustUnderstand' },
} as const satisfies Record<SoapFault['blame'], Record<SoapVersion, string>>;

/**
 * Returns the answer of an operation in the service's layout: one line, HTTP 200 even for failures and declines. STATUS
 * only says whether the call was understood.
 * @param name the request element, including its V1 if any; the answer's elements are named after it
 */
export function answerReply(version: SoapVersion, name: string, answer: Answer): Reply {
  const response = [
    `<IATSRESPONSE xmlns="">${textElement('STATUS', answer.error === undefined ? 'Success' : 'Failure')}`,
    `${textElement('ERRORS', answer.error ?? '')}${answer.payload}</IATSRESPONSE>`,
  ].join('');
  return resultReply(version, name, response);
}

/**
 * Returns the answer of an old report: a file and nothing around it. Assumption: the file of a failed call is empty.
 */
export function bareReply(version: SoapVersion, name: string, { payload, error }: Answer): Reply {
  return resultReply(version, name, error === undefined ? payload.replace(/<[^>]*>/g, '') : '');
}

function resultReply(version: SoapVersion, name: string, content: string): Reply {
  const result = element(`${name}Result`, content);
  const body = `<${name}Response xmlns="${SERVICE_NAMESPACE}">${result}</${name}Response>`;
  return { status: 200, contentType: CONTENT_TYPES[version], body: wrapBody(version, body) };
}

/** Returns a fault in the words of ASP.NET, with HTTP 500 in both versions. */
export function faultReply({ version, blame, fault }: SoapFault): Reply {
  const code = FAULT_CODES[blame][version];
  const body = version === '1.1' ? faultOf11(code, fault) : faultOf12(code, fault);
  return {
    status: 500,
    contentType: CONTENT_TYPES[version],
    body: wrapBody(version, body),
    headers: { 'Cache-Control': 'private' },
  };
}

function faultOf11(code: string, text: string): string {
  return element(
    'soap:Fault',
    textElement('faultcode', code),
    textElement('faultstring', text),
    textElement('detail', ''),
  );
}

function faultOf12(code: string, text: string): string {
  const reason = textElement('soap:Text', text).replace('<soap:Text', '<soap:Text xml:lang="en"');
  return element(
    'soap:Fault',
    element('soap:Code', textElement('soap:Value', code)),
    element('soap:Reason', reason),
    textElement('soap:Detail', ''),
  );
}

function wrapBody(version: SoapVersion, body: string): string {
  const namespaces = [
    `xmlns:soap="${ENVELOPE_NAMESPACES[version]}"`,
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
    'xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
  ].join(' ');
  return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope ${namespaces}>${element('soap:Body', body)}</soap:Envelope>`;
}
