import { CARD_XML } from '../../sandbox/support/soap-request.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import type { CustomerRecord } from '../../../src/gateway/answers.ts';

/** Wraps a body as recorded answers of the service do. */

export function envelope(body: string): string {
  return (
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"' +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
    `<soap:Body>${body}</soap:Body></soap:Envelope>`
  );
}

export function answerOf(operation: string, inside: string): string {
  return envelope(
    `<${operation}Response xmlns="https://www.iatspayments.com/NetGate/"><${operation}Result>` +
      `<IATSRESPONSE xmlns="">${inside}</IATSRESPONSE></${operation}Result></${operation}Response>`,
  );
}

export function success(payload: string): string {
  return `<STATUS>Success</STATUS><ERRORS />${payload}`;
}

export function failure(errors: string, payload = '<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>'): string {
  return `<STATUS>Failure</STATUS><ERRORS>${errors}</ERRORS>${payload}`;
}

export function batchResult(text: string, more = ''): string {
  return `<BATCHPROCESSRESULT><AUTHORIZATIONRESULT>${text}</AUTHORIZATIONRESULT>${more}</BATCHPROCESSRESULT>`;
}

export const WAIT = 'Batch Processing, Please Wait ....';
export const DONE = 'Batch Process Has Been Done';

/** The service accepted the batch under the id 1000001. */
export const ACCEPTED = success(batchResult(WAIT, '<BATCHID>1000001</BATCHID>'));

/** ASP.NET's fault for SOAP 1.2. */
export const FAULT = envelope(
  '<soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code><soap:Reason>' +
    '<soap:Text xml:lang="en">Server was unable to read request. ---&gt; x</soap:Text></soap:Reason><soap:Detail /></soap:Fault>',
);

/** A body that the service could send, and the kind of answer that a client must derive from it. */
export type ValidAnswer = { readonly body: Buffer; readonly kind: string };

/** Returns good, bad and unfinished answers to the request of `sampleParameters`. */
export function validAnswers(operation: OperationName): ValidAnswer[] {
  const wrong = process('Error : Invalid Username or Password.');
  return [
    ...goodAnswers(operation),
    [failure('Bad request.'), 'failed'] as const,
    [success(wrong), 'failed'] as const,
  ].map(([inside, kind]) => ({ body: Buffer.from(answerOf(wireName(operation), inside)), kind }));
}

const BATCH_ID = '<BATCHID>1000001</BATCHID>';
const FILE = Buffer.from('1001,Received\r\n').toString('base64');

function goodAnswers(operation: OperationName): (readonly [inside: string, kind: string])[] {
  const { effect, service } = OPERATIONS[operation];
  if (operation === 'getCustomerListByCreationTimeCSV') return [[success(`<FILE>${FILE}</FILE>`), 'approved']];
  if (operation === 'getCustomerListByCreationTimeXML') {
    return [[success(`<CUSTOMERS>${RECORD_XML}${RECORD_XML}</CUSTOMERS>`), 'approved']];
  }
  if (operation === 'getCustomerCodeDetail') return [[success(`<CUSTOMERS>${RECORD_XML}</CUSTOMERS>`), 'approved']];
  if (operation === 'getBatchProcessResultFile') {
    const file = `<BATCHPROCESSRESULTFILE>${FILE}</BATCHPROCESSRESULTFILE>`;
    return [
      [success(batchResult(DONE, BATCH_ID + file)), 'approved'],
      [success(batchResult(WAIT, BATCH_ID)), 'accepted'],
    ];
  }
  if (operation.endsWith('Batch')) {
    return [
      [success(batchResult(WAIT, BATCH_ID)), 'accepted'],
      [success(batchResult('REJECT: 1')), 'declined'],
    ];
  }
  if (service === 'CustomerLink' && effect === 'write') {
    return [
      [success(process('OK', '<CUSTOMERCODE>A10000001</CUSTOMERCODE>')), 'approved'],
      [success(process('0Error:Invalid credit card number')), 'failed'],
    ];
  }
  const days = '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>';
  const transaction = `<CUSTOMERCODE />${days}<TRANSACTIONID>A6000001\n</TRANSACTIONID>`;
  return [
    [success(process(' OK: 678594:X\n', transaction)), operation.includes('ACHEFT') ? 'accepted' : 'approved'],
    [success(process(' REJECT: 15\n', transaction)), 'declined'],
  ];
}

function process(text: string, more = ''): string {
  return `<PROCESSRESULT><AUTHORIZATIONRESULT>${text}</AUTHORIZATIONRESULT>${more}</PROCESSRESULT>`;
}

/** A record as the service shows it. */
export const RECORD_XML = CARD_XML;

export const RECORD: CustomerRecord = {
  customerCode: 'A10000001',
  firstName: 'Ada',
  lastName: 'Byron',
  companyName: 'Engine Co.',
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  country: '',
  zipCode: '12180',
  phone: '555-555-1234',
  alternatePhone: '555-555-5555',
  fax: '555-555-4321',
  email: 'ada@example.com',
  comment: 'note',
  title: '',
  item1: '',
  item2: '',
  item3: '',
  item4: '',
  item5: '',
  item6: '',
  recurring: {
    active: 'true',
    amount: '5',
    beginDate: '2017-06-16T00:00:00',
    endDate: '2027-06-15T00:00:00',
    scheduleType: 'Weekly',
    scheduleDate: '7',
  },
  payment: {
    kind: 'card',
    creditCardCustomerName: 'Ada Byron',
    mop: 'VISA',
    creditCardNum: '4***********2220',
    creditCardExpiry: '12/20',
  },
};
