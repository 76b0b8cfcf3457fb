import type { Reply } from '../../reply.ts';
import { PAYMENT_REFUSALS } from '../../handlers/charge.ts';
import { answerReply, faultReply, type SoapFault } from '../../soap/write-envelope.ts';
import { element, textElement } from '../../xml/write-xml.ts';
import type { StruckCall } from '../fault-kind.ts';
import type { Step } from '../play-steps.ts';
import { sendWhole } from './cut-answers.ts';

/** SOAP answers that say something wrong. */

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

/** Sends STATUS Failure with an error text. */
export function sendFailure(error: string) {
  return ({ version, element: name }: StruckCall): Step[] =>
    sendWhole(answerReply(version, name, { payload: PAYMENT_REFUSALS.failurePayload, error }));
}

/** Sends the operation's answer with another text in the place that decides. */
export function changeText(text: string) {
  return (reply: Reply): Step[] => sendBody(reply, replaceText(String(reply.body), text));
}

/** Sends the result together with a contradicting result. */
export function sayTwoThings(reply: Reply): Step[] {
  return sendBody(
    reply,
    String(reply.body).replace(PAYLOAD, (payload) => payload + replaceText(payload, 'REJECT: 15')),
  );
}

/** Sends a right answer under the name of another operation. */
export function nameAnotherOperation(reply: Reply, { element: name }: StruckCall): Step[] {
  const other = name === 'GetCustomerCodeDetail' ? 'DeleteCustomerCode' : 'GetCustomerCodeDetail';
  const renamed = ['Response', 'Result'].reduce(
    (body, end) => body.replaceAll(new RegExp(`(</?)${name}${end}\\b`, 'g'), `$1${other}${end}`),
    String(reply.body),
  );
  return sendBody(reply, renamed);
}

/** Sends `<OperationResult />`, as the service does when it has nothing to say. */
export function emptyResult(reply: Reply, { element: name }: StruckCall): Step[] {
  const result = new RegExp(`<${name}Result>.*</${name}Result>`, 's');
  return sendBody(
    reply,
    String(reply.body).replace(result, () => textElement(`${name}Result`, '')),
  );
}

/** Sends the previous batch's id in place of the new id. */
export function repeatBatchId(reply: Reply, { earlierBatchId = '' }: StruckCall): Step[] {
  return sendBody(reply, String(reply.body).replace(/(?<=<BATCHID>)[^<]*/, earlierBatchId));
}

const FAULT_TEXT = 'Server was unable to process request. ---> The operation has timed out.';

/** Everything after STATUS and ERRORS. */
const PAYLOAD = /(?<=<\/STATUS>(?:<ERRORS \/>|<ERRORS>[^<]*<\/ERRORS>))(.*)(?=<\/IATSRESPONSE>)/s;

/** Replaces the deciding text. A payload without that place, such as a list, is replaced as a whole. */
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
