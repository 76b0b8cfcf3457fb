import { afterEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../schemas/operations.ts';
import { findRestriction } from '../../schemas/restrictions.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { ALL_OPERATIONS, callOn } from './support/call.ts';
import { httpAnswer } from './support/scripted-server.ts';
import { closeServers, script } from './support/submit.ts';

afterEach(closeServers);

const SERVER = 'Service cannot be used on this server.';
const CURRENCY = 'Service cannot be used with this Method of Payment or Currency.';

describe('callOperation', () => {
  it.each(ALL_OPERATIONS)('answers every restriction of %s before anything leaves', async (operation) => {
    const server = await script({});
    const hasMop = OPERATIONS[operation].wire.some((name) => name === 'mop');
    for (const side of ['NA', 'UK'] as const) {
      for (const currency of [undefined, 'USD', 'CAD', 'GBP', 'EUR'] as const) {
        for (const mop of [undefined, 'VISA', 'DSC', 'MAESTR', 'MAESTRO', 'VISA DEBIT', 'MC DEBIT', 'visa']) {
          const message = findRestriction({ operation, server: side, currency, mop });
          const answer = await callOn(server.url, operation, {
            settings: { server: side, currency },
            // Faulty parameters show that the restriction comes first, and that nothing is sent for either.
            parameters: hasMop ? { mop } : {},
            options: hasMop ? {} : { mop },
          });
          if (message === undefined) expect(answer.kind).toBe('invalid');
          else expect(answer).toEqual({ kind: 'restricted', message });
        }
      }
    }
    expect(server.connections).toHaveLength(0);
  });

  it('has both messages of the spec', async () => {
    expect(await callOn('http://127.0.0.1:1', 'processACHEFT', { settings: { server: 'UK' } })).toEqual({
      kind: 'restricted',
      message: SERVER,
    });
    expect(await callOn('http://127.0.0.1:1', 'processCreditCardWithCustomerCode', { options: {} })).toEqual({
      kind: 'restricted',
      message: CURRENCY,
    });
  });

  it('takes the currency of the call before that of the client', async () => {
    const call = (options: { currency?: 'CAD'; mop: string }) =>
      callOn('http://127.0.0.1:1', 'processCreditCardWithCustomerCode', { options });
    expect(await call({ mop: 'DSC' })).toMatchObject({ kind: 'not_sent' });
    expect(await call({ mop: 'DSC', currency: 'CAD' })).toEqual({ kind: 'restricted', message: CURRENCY });
  });

  it('answers faulty parameters without their values, and nothing leaves', async () => {
    const server = await script({});
    const parameters = { transactionId: 'A9000001', total: '4222222222222220' };
    expect(await callOn(server.url, 'processCreditCardRefundWithTransactionId', { parameters })).toEqual({
      kind: 'invalid',
      faults: [{ field: 'total', message: 'must be a negative decimal number' }],
    });
    expect(server.connections).toHaveLength(0);
  });

  it('writes the time of its clock where the wire wants a date', async () => {
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(500, '')) });
    const parameters = { customerCode: 'A1' };
    const clock = handClock('2026-06-15T12:00:00Z');
    await callOn(server.url, 'updateACHEFTCustomerCode', { parameters, world: { clock } });
    expect(server.requests[0]).toContain('<beginDate>2026-06-15T12:00:00.000Z</beginDate>');
  });
});
