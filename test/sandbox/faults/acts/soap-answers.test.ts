import { describe, expect, it } from 'vitest';
import {
  changeText,
  emptyResult,
  nameAnotherOperation,
  repeatBatchId,
  sayTwoThings,
  sendFailure,
  sendFault,
  sendFaultOfOtherVersion,
  sendFaultWithSuccess,
} from '../../../../src/sandbox/faults/acts/soap-answers.ts';
import { answerReply, ENVELOPE_NAMESPACES } from '../../../../src/sandbox/soap/write-envelope.ts';
import { readXml } from '../../../../src/sandbox/xml/read-xml.ts';
import { bodyOf, CALL, CHARGE, doneBatch, outcomeOf } from '../support/sample-answers.ts';

const LIST = answerReply('1.2', 'GetCustomerListByCreationTimeXML', { payload: '<CUSTOMERS />' });

describe('answers in SOAP', () => {
  it.each([
    ['client', '1.1', 'soap:Client'],
    ['client', '1.2', 'soap:Sender'],
    ['server', '1.1', 'soap:Server'],
    ['server', '1.2', 'soap:Receiver'],
  ] as const)('sendFault blames the %s in SOAP %s', (blame, version, code) => {
    const steps = sendFault(blame)({ ...CALL, version });
    expect(outcomeOf(steps).text).toMatch(/^HTTP\/1\.1 500 /);
    expect(bodyOf(steps)).toContain(code);
    expect(bodyOf(steps)).toContain(ENVELOPE_NAMESPACES[version]);
  });

  it('sends faults where they do not belong', () => {
    expect(bodyOf(sendFaultOfOtherVersion(CALL))).toContain(ENVELOPE_NAMESPACES['1.1']);
    expect(bodyOf(sendFaultOfOtherVersion({ ...CALL, version: '1.1' }))).toContain(ENVELOPE_NAMESPACES['1.2']);
    expect(outcomeOf(sendFaultWithSuccess(CALL)).text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*soap:Fault/);
  });

  it('sendFailure answers the operation with STATUS Failure', () => {
    const body = bodyOf(sendFailure('Server Error')(CALL));
    expect(body).toContain('<ProcessCreditCardResult><IATSRESPONSE xmlns=""><STATUS>Failure</STATUS>');
    expect(body).toContain('<ERRORS>Server Error</ERRORS><PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>');
  });

  it('changeText changes nothing but the text that decides', () => {
    const body = bodyOf(changeText(' TIMEOUT\n')(CHARGE));
    expect(body).toBe(String(CHARGE.body).replace(' OK: 678594:\n', ' TIMEOUT\n'));
    expect(bodyOf(changeText('x')(doneBatch('a')))).toContain('<AUTHORIZATIONRESULT>x</AUTHORIZATIONRESULT><BATCHID>');
  });

  it('changeText takes the place of a payload that has no such text', () => {
    const payload = '<PROCESSRESULT><AUTHORIZATIONRESULT>x &amp; y</AUTHORIZATIONRESULT></PROCESSRESULT>';
    expect(bodyOf(changeText('x & y')(LIST))).toBe(String(LIST.body).replace('<CUSTOMERS />', payload));
  });

  it('sayTwoThings puts a contradiction beside the result', () => {
    const body = bodyOf(sayTwoThings(CHARGE));
    expect(body.match(/<PROCESSRESULT>/g)).toHaveLength(2);
    expect(body).toMatch(/> OK: 678594:\n<.*>REJECT: 15<\/AUTHORIZATIONRESULT>/s);
    expect(readXml(body)).toHaveProperty('name', 'Envelope');
    expect(bodyOf(sayTwoThings(LIST))).toContain('<CUSTOMERS /><CUSTOMERS />');
  });

  it.each([
    ['ProcessCreditCard', 'GetCustomerCodeDetail'],
    ['GetCustomerCodeDetail', 'DeleteCustomerCode'],
  ])('nameAnotherOperation renames %s to %s and nothing else', (element, other) => {
    const reply = answerReply('1.2', element, { payload: '<PROCESSRESULT />' });
    const expected = answerReply('1.2', other, { payload: '<PROCESSRESULT />' });
    expect(bodyOf(nameAnotherOperation(reply, { ...CALL, element }))).toBe(expected.body);
  });

  it('emptyResult leaves the Result element only', () => {
    expect(bodyOf(emptyResult(CHARGE, CALL))).toContain(
      'NetGate/"><ProcessCreditCardResult /></ProcessCreditCardResponse>',
    );
  });

  it('repeatBatchId gives the id of the batch before', () => {
    const body = bodyOf(repeatBatchId(doneBatch('a'), { ...CALL, earlierBatchId: '77' }));
    expect(body).toBe(String(doneBatch('a').body).replace('1000001', '77'));
  });
});
