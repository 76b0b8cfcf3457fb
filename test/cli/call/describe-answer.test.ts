import { describe, expect, it } from 'vitest';
import { ADVICE } from '../../../schemas/rejections.ts';
import { describeAnswer } from '../../../src/cli/call/describe-answer.ts';
import type { AnyAnswer, CustomerRecord } from '../../../src/gateway/client-answers.ts';

const PAYMENT = {
  transactionId: 'A6DE6F24',
  authorization: '678594',
  addressCheck: null,
  customerCode: null,
  settlementBatchDate: '06/15/2026',
  settlementDate: null,
};

describe('describeAnswer', () => {
  it('says the kind, then what came, without what is empty', () => {
    expect(describeAnswer('processCreditCard', { kind: 'approved', result: PAYMENT })).toBe(
      [
        'approved',
        '  transactionId        A6DE6F24',
        '  authorization        678594',
        '  settlementBatchDate  06/15/2026',
      ].join('\n'),
    );
    expect(describeAnswer('processACHEFTChargeBatch', { kind: 'accepted', result: { batchId: '7' } })).toBe(
      'accepted: taken, and not done yet\n  batchId  7',
    );
  });

  it('says of a batch that runs that there is no file yet', () => {
    const answer: AnyAnswer = { kind: 'accepted', result: { batchId: '7', file: null } };
    expect(describeAnswer('getBatchProcessResultFile', answer)).toMatch(/file +not there yet$/);
  });

  it('joins the names of nested values, and shows lists as tables', () => {
    const customer = {
      customerCode: 'A1',
      recurring: { amount: '5.00', scheduleType: '' },
      payment: { kind: 'card', mop: 'VISA' },
    } as CustomerRecord;
    const one = describeAnswer('getCustomerCodeDetail', { kind: 'approved', result: { customer } });
    expect(one).toMatch(/recurring\.amount +5\.00\n +payment\.kind +card\n +payment\.mop +VISA$/);
    const many = describeAnswer('getCustomerListByCreationTimeXML', { kind: 'approved', result: { customers: [] } });
    expect(many).toContain('There is no such customer.');
  });

  it.each(ADVICE)('tells what to do about a decline: %s', (advice) => {
    const answer: AnyAnswer = { kind: 'declined', code: 15, message: 'General decline', advice, transactionId: null };
    const text = describeAnswer('processCreditCard', answer);
    expect(text).toMatch(
      /^declined: nothing was booked\n {2}code +15\n {2}message +General decline\n {2}advice +\S.+$/,
    );
  });

  it.each([
    [{ kind: 'failed', errors: 'Bad request.' }, /^failed: nothing was done\n {2}errors {2}Bad request\.$/],
    [{ kind: 'restricted', message: 'No.' }, /^restricted: nothing was sent\n {2}message {2}No\.$/],
    [{ kind: 'not_sent', why: 'refused' }, /the same call may be made again\n {2}why {2}refused$/],
    [{ kind: 'unknown', why: 'time out' }, /^unknown: it may have been done or not\n {2}why {2}time out\nDo not make/],
  ] satisfies [AnyAnswer, RegExp][])('says of %j what it means', (answer, text) => {
    expect(describeAnswer('processCreditCard', answer)).toMatch(text);
  });

  it('ends an unknown answer with what not to do', () => {
    const text = describeAnswer('processCreditCard', { kind: 'unknown', why: 'time out' });
    expect(text).toMatch(
      /Do not make this call again before you have looked it up[^]*second call would do it twice\.$/,
    );
  });

  it('says of a read that failed that there is no data', () => {
    expect(describeAnswer('getCustomerCodeDetail', { kind: 'failed', errors: 'x' })).toMatch(
      /^failed: there is no data/,
    );
  });

  it('names each fault, where a secret may be put, and how a day is typed', () => {
    const faults = [
      { field: 'creditCardNum', message: 'is required' },
      { field: 'total', message: 'is required' },
      { field: 'parameters', message: 'must be an object' },
    ];
    const text = describeAnswer('processCreditCard', { kind: 'invalid', faults });
    expect(text).toMatch(/^invalid: nothing was sent\n/);
    expect(text).toContain('is required (PAYDROP_CREDIT_CARD_NUM, --stdin or a terminal)');
    expect(text).toMatch(/total +is required\n/);
    const day = { kind: 'invalid', faults: [{ field: 'fromDate', message: 'must be a date-time' }] } as const;
    const operation = 'getCustomerListByCreationTimeXML';
    expect(describeAnswer(operation, day)).toContain('fromDate  must be a date-time, or a day such as 2026-11-20');
    expect(describeAnswer(operation, day, { fromDate: '--from' })).toContain('--from  must be');
  });
});
