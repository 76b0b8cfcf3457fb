import type { Reply } from '../../reply.ts';
import { FAILED_PROCESS_PAYLOAD } from '../../handlers/process-payload.ts';
import { answerReply, faultReply, type SoapFault } from '../../soap/write-envelope.ts';
import { element, textElement } from '../../xml/write-xml.ts';
import type { StruckCall } from '../fault-kind.ts';
import type { Step } from '../steps.ts';
import { sendWhole } from './cut-answers.ts';

/** Answers in SOAP that say something else than they should. */

export function sendFault(blame: SoapFault['blame']) {
  return ({ version }: StruckCall): Step[] => sendWhole(faultReply({ version, blame, fault: FAULT_TEXT }));
}

export function sendFaultOfOtherVersion({ version }: StruckCall): Step[] {
  const other = version === '1.1' ? '1.2' : '1.1';
  return sendWhole(faultReply({ version: other, blame: 'server', fault: FAULT_TEXT }));
}

export function sendFaultWithSuccess({ version }: StruckCall): Step[] {
  return sendWhole({ ...faultReply({ version, blame: 'server', fault: FAULT_TEXT }), status: 200 });
}

/** STATUS Failure with a text. */
export function sendFailure(error: string) {
  return ({ version, element: name }: StruckCall): Step[] =>
    sendWhole(answerReply(version, name, { payload: FAILED_PROCESS_PAYLOAD, error }));
}

/** The answer of the operation with another text in the place that decides. */
export function changeText(text: string) {
  return (reply: Reply): Step[] => sendBody(reply, replaceText(String(reply.body), text));
}

/** The result and beside it another that says the contrary. */
export function sayTwoThings(reply: Reply): Step[] {
  return sendBody(
    reply,
    String(reply.body).replace(PAYLOAD, (payload) => payload + replaceText(payload, 'REJECT: 15')),
  );
}

/** An answer that has everything right but the operation that it belongs to. */
export function nameAnotherOperation(reply: Reply, { element: name }: StruckCall): Step[] {
  const other = name === 'GetCustomerCodeDetail' ? 'DeleteCustomerCode' : 'GetCustomerCodeDetail';
  const renamed = ['Response', 'Result'].reduce(
    (body, end) => body.replaceAll(new RegExp(`(</?)${name}${end}\\b`, 'g'), `$1${other}${end}`),
    String(reply.body),
  );
  return sendBody(reply, renamed);
}

/** `<OperationResult />`, as the service sends it when it has nothing to say. */
export function emptyResult(reply: Reply, { element: name }: StruckCall): Step[] {
  const result = new RegExp(`<${name}Result>.*</${name}Result>`, 's');
  return sendBody(
    reply,
    String(reply.body).replace(result, () => textElement(`${name}Result`, '')),
  );
}

/** The id of the batch before instead of that of this one. */
export function repeatBatchId(reply: Reply, { earlierBatchId = '' }: StruckCall): Step[] {
  return sendBody(reply, String(reply.body).replace(/(?<=<BATCHID>)[^<]*/, earlierBatchId));
}

const FAULT_TEXT = 'Server was unable to process request. ---> The operation has timed out.';

/** All that stands behind STATUS and ERRORS. */
const PAYLOAD = /(?<=<\/STATUS>(?:<ERRORS \/>|<ERRORS>[^<]*<\/ERRORS>))(.*)(?=<\/IATSRESPONSE>)/s;

/** Payloads that have no such place, like those of lists, make way for one that has. */
function replaceText(xml: string, text: string): string {
  const place = textElement('AUTHORIZATIONRESULT', text);
  const replaced = xml.replace(/<AUTHORIZATIONRESULT(?: \/>|>[^<]*<\/AUTHORIZATIONRESULT>)/, () => place);
  return replaced === xml && !xml.includes(place)
    ? xml.replace(PAYLOAD, () => element('PROCESSRESULT', place))
    : replaced;
}

function sendBody(reply: Reply, body: string): Step[] {
  return sendWhole({ ...reply, body });
}
