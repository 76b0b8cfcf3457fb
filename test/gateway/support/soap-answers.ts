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
