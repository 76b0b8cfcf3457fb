import { describe, expect, it } from 'vitest';
import { bytesOf, readAnswer, textOf } from '../../../src/gateway/soap/read-answer.ts';
import { ACCEPTED, answerOf, envelope, failure, FAULT, success, WAIT } from '../support/soap-answers.ts';

const OPERATION = 'processACHEFTChargeBatch';
const GOOD = answerOf('ProcessACHEFTChargeBatch', ACCEPTED);

describe('readAnswer', () => {
  const accepted = { AUTHORIZATIONRESULT: WAIT, BATCHID: '1000001' };

  it.each([
    ['as recorded', GOOD],
    ['without a declaration', GOOD.replace(/^<\?xml[^>]*\?>/, '')],
    ['with a byte order mark', `\ufeff${GOOD}`],
    ['with other prefixes', GOOD.replaceAll('soap:', 'env:').replace('xmlns:soap', 'xmlns:env')],
    [
      'of SOAP 1.1',
      GOOD.replace('http://www.w3.org/2003/05/soap-envelope', 'http://schemas.xmlsoap.org/soap/envelope/'),
    ],
    ['without namespaces', GOOD.replaceAll(/ xmlns(:\w+)?="[^"]*"/g, '')],
    ['with line ends between the elements', GOOD.replaceAll('><', '>\r\n  <')],
  ])('reads an answer %s', (_how, xml) => {
    expect(read(xml)).toEqual({
      kind: 'read',
      answer: { status: 'Success', errors: '', payload: { BATCHPROCESSRESULT: accepted } },
    });
  });

  it('bears an empty error within the payload', () => {
    expect(read(GOOD.replace('</BATCHID>', '$&<ERRORS />')).kind).toBe('read');
  });

  it('reads a failure, entities and all', () => {
    expect(read(answerOf('ProcessACHEFTChargeBatch', failure(' a &amp; b\n', '')))).toEqual({
      kind: 'read',
      answer: { status: 'Failure', errors: 'a & b', payload: {} },
    });
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \r\n'],
    ['a fault', FAULT],
    ['another operation', answerOf('ProcessACHEFTRefundBatch', ACCEPTED)],
    ['the request', GOOD.replaceAll('BatchResponse', 'Batch')],
    ['two responses', envelope(GOOD.replace(/^.*<soap:Body>|<\/soap:Body>.*$/g, '').repeat(2))],
    ['a second element beside the response', GOOD.replace('</soap:Body>', '<x/></soap:Body>')],
    ['a second element beside the result', GOOD.replace('</ProcessACHEFTChargeBatchResponse>', '<x/>$&')],
    ['text instead of the result', envelope('<ProcessACHEFTChargeBatchResponse>x</ProcessACHEFTChargeBatchResponse>')],
    ['no body', GOOD.replace(/<soap:Body>.*<\/soap:Body>/, '')],
    ['no STATUS', answerOf('ProcessACHEFTChargeBatch', '<ERRORS/>')],
    ['another STATUS', answerOf('ProcessACHEFTChargeBatch', ACCEPTED.replace('Success', 'success'))],
    ['two STATUS', answerOf('ProcessACHEFTChargeBatch', success('<STATUS>Failure</STATUS>'))],
    ['STATUS with an attribute', answerOf('ProcessACHEFTChargeBatch', ACCEPTED.replace('<STATUS>', '<STATUS a="b">'))],
    ['ERRORS with elements', answerOf('ProcessACHEFTChargeBatch', '<STATUS>Failure</STATUS><ERRORS><a/></ERRORS>')],
    ['an error within the payload', GOOD.replace('</BATCHID>', '$&<ERRORS>x</ERRORS>')],
    ['a status within the payload', GOOD.replace('</BATCHID>', '$&<STATUS>Success</STATUS>')],
    ['an unknown entity', answerOf('ProcessACHEFTChargeBatch', failure('&nbsp;'))],
    ['tags that do not close', GOOD.replace('</STATUS>', '')],
    ['text behind the end', `${GOOD}x`],
    ['UTF-16', Buffer.from(GOOD, 'utf16le')],
    ['bytes that are not UTF-8', Buffer.from([0x3c, 0xff])],
  ])('cannot read %s, and quotes nothing of it', (_what, body) => {
    const reading = read(body);
    expect(reading).toEqual({ kind: 'unreadable', why: expect.stringMatching(/^the answer [a-z ,A-Z-]+$/) });
  });

  it('leaves the prototype of all objects alone', () => {
    read(GOOD.replace('<STATUS>', '<x id="__proto__"><polluted>1</polluted></x><STATUS>'));
    read(GOOD.replace('<STATUS>', '<constructor><prototype><polluted>1</polluted></prototype></constructor><STATUS>'));
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('obj' in {} || 'polluted' in {}).toBe(false);
  });
});

describe('textOf', () => {
  it.each([
    [undefined, ''],
    [null, ''],
    [' a ', 'a'],
    ['a\u{1f600}', 'a\u{1f600}'],
    [Buffer.from('abc'), 'YWJj'],
    [['a'], undefined],
    [{ a: 'b' }, undefined],
  ])('of %j is %j', (value, text) => {
    expect(textOf(value)).toBe(text);
  });
});

describe('bytesOf', () => {
  it.each([
    ['nothing', undefined, ''],
    ['base64', 'UmVj', 'Rec'],
    ['base64 in lines', ' Um\r\nVj\t', 'Rec'],
    ['bytes that the parser decoded', Buffer.from('Rec'), 'Rec'],
    ['base64 without padding', 'UmU', undefined],
    ['base64 for URLs', '-_-_', undefined],
    ['a stray character', 'Um*j', undefined],
    ['a space of another kind', 'Um\u00a0Vj', undefined],
    ['a repeated element', ['UmVj', 'UmVj'], undefined],
    ['elements', { a: 'UmVj' }, undefined],
  ])('reads %s', (_what, value, text) => {
    expect(bytesOf(value)?.toString()).toBe(text);
  });
});

function read(body: string | Buffer) {
  return readAnswer(OPERATION, Buffer.from(body as string));
}
