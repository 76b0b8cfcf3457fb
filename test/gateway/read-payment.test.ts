import { describe, expect, it } from 'vitest';
import { REJECTIONS } from '../../schemas/rejections.ts';
import { hideSecrets } from '../../src/gateway/hide-secrets.ts';
import { findPayment, findRejection, readProcessResult } from '../../src/gateway/read-payment.ts';
import { CANARIES } from './support/cases.ts';

const secrets = hideSecrets({ agentCode: 'TEST88', password: 'TEST88' }, { creditCardNum: CANARIES.card });
const EMPTY = { text: '', customerCode: '', transactionId: '', settlementBatchDate: '', settlementDate: '' };

describe('readProcessResult', () => {
  it.each([
    ['a whole one', { PROCESSRESULT: { AUTHORIZATIONRESULT: ' OK\n', TRANSACTIONID: 'A1' } }, 'OK'],
    ['a blank one', { PROCESSRESULT: null }, ''],
    ['none', {}, ''],
    ['a repeated one', { PROCESSRESULT: [{}, {}] }, undefined],
    ['a repeated element', { PROCESSRESULT: { TRANSACTIONID: ['A', 'B'] } }, undefined],
    ['another payload beside it', { PROCESSRESULT: {}, FILE: 'x' }, undefined],
  ])('of %s', (_what, payload, text) => {
    expect(readProcessResult({ status: 'Success', errors: '', payload })?.text).toBe(text);
  });
});

describe('findPayment', () => {
  it.each([
    ['OK', null, null],
    ['OK: 678594:', '678594', null],
    ['OK: 678594', '678594', null],
    ['OK: 678594:X', '678594', 'X'],
    ['OK: A12B34:y', 'A12B34', 'y'],
  ])('takes %s', (text, authorization, addressCheck) => {
    expect(findPayment({ ...EMPTY, text, transactionId: 'A9000001' }, false, secrets)).toEqual({
      kind: 'approved',
      result: {
        transactionId: 'A9000001',
        customerCode: null,
        settlementBatchDate: null,
        settlementDate: null,
        authorization,
        addressCheck,
      },
    });
  });

  it.each(['', 'OK:Reject', 'OK:BankAccept', 'OK: REJECT', 'OKAY', 'ok', 'REJECT: 15', 'NOT OK', 'OK: 1:XX'])(
    'does not take "%s"',
    (text) => {
      expect(findPayment({ ...EMPTY, text }, false, secrets)).toBeUndefined();
    },
  );

  it('says accepted for a bank payment, which the bank has not seen yet', () => {
    expect(findPayment({ ...EMPTY, text: 'OK: 555555:' }, true, secrets)).toMatchObject({ kind: 'accepted' });
  });

  it('does not believe an answer that repeats a number', () => {
    const fields = { ...EMPTY, text: 'OK', transactionId: CANARIES.card };
    expect(findPayment(fields, false, secrets)).toMatchObject({ kind: 'unknown' });
  });
});

describe('findRejection', () => {
  it.each(Object.entries(REJECTIONS))('knows code %s', (code, { message, advice }) => {
    const answer = findRejection({ ...EMPTY, text: `REJECT: ${code}`, transactionId: 'A1' }, secrets);
    if (advice === 'unknown') expect(answer).toEqual({ kind: 'unknown', why: `rejection code ${code}: ${message}` });
    else expect(answer).toEqual({ kind: 'declined', code: Number(code), message, advice, transactionId: 'A1' });
  });

  it('names code 19 as the spec does', () => {
    expect(findRejection({ ...EMPTY, text: 'REJECT: 19' }, secrets)).toEqual({
      kind: 'declined',
      code: 19,
      message: 'Incorrect CVV2 security code',
      advice: 'fix',
      transactionId: null,
    });
  });

  it('leaves a code that is not listed unknown, and all other texts alone', () => {
    expect(findRejection({ ...EMPTY, text: 'REJECT: 13' }, secrets)).toMatchObject({ kind: 'unknown' });
    const others = ['REJECT: ', 'REJECT: 5 6', 'REJ:15', 'OK', 'TIMEOUT'];
    expect(others.map((text) => findRejection({ ...EMPTY, text }, secrets))).toEqual(others.map(() => undefined));
  });
});
