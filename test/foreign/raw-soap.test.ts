import { describe, expect, it } from 'vitest';
import { goldenSuccess, NOW } from '../sandbox/support/make-context.ts';
import { useSandboxes } from '../sandbox/support/sandbox-world.ts';
import { LOGIN, NAMESPACE, post, soapRequest } from '../sandbox/support/soap-request.ts';

/**
 * Requests as other clients write them, in our own words: names of prefixes, order of elements, extra elements, and the
 * place of the action.
 */
const world = useSandboxes();

const ENVELOPE_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const ENVELOPE_12 = 'http://www.w3.org/2003/05/soap-envelope';
const XSD = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

const CHARGE = {
  ...LOGIN,
  customerIPAddress: '',
  invoiceNum: 'INV-1',
  creditCardNum: '4222222222222220',
  creditCardExpiry: '12/30',
  cvv2: '000',
  mop: 'VISA',
  firstName: 'Ada',
  lastName: 'Byron',
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  total: '5.00',
};

type Habit = {
  readonly who: string;
  readonly path: string;
  readonly element: 'ProcessCreditCard' | 'ProcessCreditCardV1';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (element: string, children: (tag: (name: string) => string) => string) => string;
};

const HABITS: readonly Habit[] = [
  {
    who: '.NET: SOAP 1.1, default namespaces, a byte order mark',
    path: '/NetGate/ProcessLinkv2.asmx',
    element: 'ProcessCreditCard',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${NAMESPACE}ProcessCreditCard"` },
    body: (element, children) =>
      `\uFEFF<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${ENVELOPE_11}" ${XSD}><soap:Body>` +
      `<${element} xmlns="${NAMESPACE}">${children((name) => name)}</${element}></soap:Body></soap:Envelope>`,
  },
  {
    who: 'WCF: an empty header, unquoted white space, nil for what is missing',
    path: '/netgate/processlinkV2.asmx',
    element: 'ProcessCreditCard',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${NAMESPACE}ProcessCreditCard"` },
    body: (element, children) =>
      `<s:Envelope xmlns:s="${ENVELOPE_11}"><s:Header/>\r\n<s:Body ${XSD}>\r\n<${element} xmlns="${NAMESPACE}">` +
      `${children((name) => name)}<comment xsi:nil="true" /></${element}>\r\n</s:Body></s:Envelope>`,
  },
  {
    who: 'Axis on version 1: ns1 prefixes, types on every element, an empty header',
    path: '/NetGate/ProcessLink.asmx',
    element: 'ProcessCreditCardV1',
    headers: {
      'Content-Type': 'text/xml; charset=utf-8',
      Accept: 'application/soap+xml, application/dime, multipart/related, text/*',
      SOAPAction: `"${NAMESPACE}ProcessCreditCardV1"`,
    },
    body: (element, children) =>
      `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="${ENVELOPE_11}" ${XSD}><soapenv:Header/>` +
      `<soapenv:Body><ns1:${element} xmlns:ns1="${NAMESPACE}">` +
      `${children((name) => `ns1:${name} xsi:type="xsd:string"`)}</ns1:${element}></soapenv:Body></soapenv:Envelope>`,
  },
  {
    who: 'SOAP::Lite on version 1: an operation in the query, an encoding style, an action with #',
    path: '/NetGate/ProcessLink.asmx?op=ProcessCreditCardV1',
    element: 'ProcessCreditCardV1',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${NAMESPACE}#ProcessCreditCardV1"` },
    body: (element, children) =>
      `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope soap:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/" ` +
      `xmlns:soap="${ENVELOPE_11}" ${XSD}><soap:Body><${element} xmlns="${NAMESPACE.replace('www.', 'www.uk.')}">` +
      `${children((name) => `${name} xsi:type="xsd:string"`)}</${element}></soap:Body></soap:Envelope>`,
  },
  {
    who: 'soap4r on version 1: n1 prefixes, an action without quotation marks',
    path: '/NetGate/ProcessLink.asmx',
    element: 'ProcessCreditCardV1',
    headers: { 'Content-Type': 'text/xml;charset="utf-8"', SOAPAction: `${NAMESPACE}ProcessCreditCardV1` },
    body: (element, children) =>
      `<?xml version="1.0" encoding="utf-8" ?>\n<env:Envelope xmlns:env="${ENVELOPE_11}">\n  <env:Body>\n` +
      `    <n1:${element} xmlns:n1="${NAMESPACE}">\n${children((name) => `n1:${name}`)}</n1:${element}>\n` +
      '  </env:Body>\n</env:Envelope>',
  },
  {
    who: 'ActiveMerchant: SOAP 1.2 without an action, an operation in the query, another order, strange elements',
    path: '/NetGate/ProcessLinkv3.asmx?op=ProcessCreditCard',
    element: 'ProcessCreditCard',
    headers: { 'Content-Type': 'application/soap+xml; charset=utf-8' },
    body: (element, children) =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<soap12:Envelope ${XSD} xmlns:soap12="${ENVELOPE_12}">\n  <soap12:Body>\n` +
      `    <${element} xmlns="${NAMESPACE}"><customerSince>1843</customerSince>${children((name) => name)}` +
      `</${element}>\n  </soap12:Body>\n</soap12:Envelope>`,
  },
  {
    who: 'Savon: SOAP 1.2, an action header of SOAP 1.1 beside it',
    path: '/netgate/ProcessLinkv2.asmx',
    element: 'ProcessCreditCard',
    headers: {
      'Content-Type': 'application/soap+xml;charset=UTF-8',
      SOAPAction: `"${NAMESPACE}ProcessCreditCard"`,
      'Accept-Encoding': 'gzip,deflate',
    },
    body: (element, children) =>
      `<?xml version="1.0" encoding="UTF-8"?><env:Envelope ${XSD} xmlns:tns="${NAMESPACE}" xmlns:env="${ENVELOPE_12}">` +
      `<env:Body><tns:${element}>${children((name) => `tns:${name}`)}</tns:${element}></env:Body></env:Envelope>`,
  },
];

describe.each(HABITS)('$who', ({ path, element, headers, body }) => {
  const style = headers['Content-Type']?.startsWith('text/xml') ? 'soap 1.1' : 'soap 1.2 with action';

  it.each(['in the order of the description', 'the other way round'])('charges, its elements %s', async (order) => {
    const { url } = await world.start({ now: NOW });
    const fields = order.startsWith('in') ? Object.entries(CHARGE) : Object.entries(CHARGE).reverse();
    const children = (tag: (name: string) => string) =>
      fields.map(([name, text]) => `<${tag(name)}>${text}</${tag(name).replace(/ .*/, '')}>`).join('');
    const answer = await post(url + path, { headers, body: body(element, children) });
    expect(answer.text).toBe(
      goldenSuccess(
        element,
        '<PROCESSRESULT><AUTHORIZATIONRESULT> OK: 678594:\n</AUTHORIZATIONRESULT><CUSTOMERCODE />' +
          '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>' +
          '<TRANSACTIONID>A6000001\n</TRANSACTIONID></PROCESSRESULT>',
        style,
      ),
    );
    expect(answer.headers.get('content-type')).toMatch(style === 'soap 1.1' ? /^text\/xml/ : /^application\/soap\+xml/);
  });
});

describe('an approval by the names of version 1', () => {
  it('is as long as the one that was recorded', async () => {
    const { url } = await world.start();
    const { creditCardNum, total } = CHARGE;
    const request = soapRequest('ProcessCreditCardV1', { ...LOGIN, creditCardNum, total }, 'soap 1.2 without action');
    const { headers } = await post(`${url}/NetGate/ProcessLink.asmx?op=ProcessCreditCardV1`, request);
    expect(headers.get('content-length')).toBe('719');
  });
});
