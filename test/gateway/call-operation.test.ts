import { afterEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { OPERATIONS } from '../../schemas/operations.ts';
import { sayRestriction } from '../../schemas/restrictions.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { ALL_OPERATIONS, callOn, sampleParameters } from './support/call.ts';
import { httpAnswer } from './support/scripted-server.ts';
import { closeServers, script } from './support/submit.ts';
import { type FieldName, FIELDS } from '../../schemas/fields.ts';
import { checkParameters } from '../../src/gateway/check-parameters.ts';
import { buildRequest } from '../../src/gateway/soap/build-request.ts';
import { wireName } from '../../schemas/wsdl.ts';
import type { TranscriptEntry } from '../../src/gateway/exchange.ts';

describe('call operation', () => {
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
            const message = sayRestriction({ operation, server: side, currency, mop });
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
        message: `${SERVER} Judged: server UK.`,
      });
      const parameters = { ...sampleParameters('processCreditCard'), mop: 'MAESTR' };
      expect(await callOn('http://127.0.0.1:1', 'processCreditCard', { parameters })).toEqual({
        kind: 'restricted',
        message: `${CURRENCY} Judged: server NA, currency USD, method of payment MAESTR.`,
      });
    });

    it.each(['processCreditCardWithCustomerCode', 'createCustomerCodeAndProcessCreditCard'] as const)(
      'sends %s without a method of payment, which it does not have',
      async (operation) => {
        for (const currency of ['USD', undefined] as const) {
          const setting = { options: {}, settings: { currency } };
          expect(await callOn('http://127.0.0.1:1', operation, setting)).toMatchObject({ kind: 'not_sent' });
        }
      },
    );

    it('takes the currency of the call before that of the client', async () => {
      const call = (options: { currency?: 'CAD'; mop: string }) =>
        callOn('http://127.0.0.1:1', 'processCreditCardWithCustomerCode', { options });
      expect(await call({ mop: 'DSC' })).toMatchObject({ kind: 'not_sent' });
      expect(await call({ mop: 'DSC', currency: 'CAD' })).toEqual({
        kind: 'restricted',
        message: `${CURRENCY} Judged: server NA, currency CAD, method of payment DSC.`,
      });
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

  const now = new Date('2026-06-15T12:00:00Z');

  describe('checkParameters', () => {
    it('fills in what the wire demands and keeps what was given', () => {
      expect(check('updateACHEFTCustomerCode', { customerCode: 'A1', email: undefined, beginDate: now })).toEqual({
        kind: 'valid',
        values: {
          customerCode: 'A1',
          recurring: 'false',
          updateAccountNum: 'false',
          beginDate: '2026-06-15T12:00:00.000Z',
          endDate: '2026-06-15T12:00:00.000Z',
        },
      });
      expect(check('deleteCustomerCode', { customerCode: 'A1' })).toEqual({
        kind: 'valid',
        values: { customerCode: 'A1' },
      });
    });

    it.each([
      ['Quarterly', ''],
      ['Annually', ''],
      ['', undefined],
    ])('writes the day of the schedule "%s" as %j', (scheduleType, scheduleDate) => {
      const checked = check('updateACHEFTCustomerCode', { customerCode: 'A1', scheduleType });
      expect(checked.kind === 'valid' && checked.values.scheduleDate).toBe(scheduleDate);
    });

    it('names unknown fields, but not what may be a value', () => {
      expect(check('deleteCustomerCode', { customerCode: 'A1', custmerCode: '1', 4222222222222220: 1 })).toEqual({
        kind: 'invalid',
        faults: [
          { field: 'custmerCode', message: 'is not a parameter of this operation' },
          { field: '(not a name)', message: 'is not a parameter of this operation' },
        ],
      });
    });

    it.each([undefined, null, 'text', 5, []])('answers %j with a fault', (parameters) => {
      expect(check('deleteCustomerCode', parameters)).toMatchObject({
        kind: 'invalid',
        faults: [{ field: 'parameters' }],
      });
    });

    it.each(ALL_OPERATIONS)('lets the parameters of %s through to the XML unchanged', async (operation) => {
      const row = OPERATIONS[operation];
      const names: FieldName[] = [...row.required, ...row.optional, ...row.unstated];
      const texts = names.filter((name) => FIELDS[name].kind === 'text' && name !== 'scheduleDate');
      const change = fc.record(Object.fromEntries(texts.map((name) => [name, anyText(name)])));
      let accepted = 0;
      const promise = fc.asyncProperty(change, async (changed) => {
        const checked = check(operation, { ...sampleParameters(operation), ...changed });
        if (checked.kind === 'invalid') return;
        accepted += 1;
        const { values } = checked;
        for (const [name, text] of Object.entries(changed)) expect(values[name as FieldName]).toBe(text);
        const { body } = await buildRequest({ operation, address: 'https://x/', login, values });
        expect(readElements(body.toString('utf8'), wireName(operation))).toEqual({ ...login, ...values });
      });
      await fc.assert(promise, { numRuns: 8 });
      expect(accepted).toBeGreaterThan(0);
    });
  });

  const login = { agentCode: 'TEST88', password: 'a<&>"\'b]]>' };

  function anyText(name: FieldName): fc.Arbitrary<string> {
    const row = FIELDS[name];
    const longest = 'maxLength' in row ? row.maxLength : 1;
    const unit = fc.oneof(fc.constantFrom(...'&<>"\'; ]\t\n\ré漢😀'), fc.string({ unit: 'grapheme', maxLength: 1 }));
    const any = fc.array(unit, { maxLength: 20 }).map((units) => `x${units.join('')}`);
    return fc.oneof(any, fc.constant('é'.repeat(longest)), fc.constant('&'.repeat(longest)));
  }

  function check(operation: keyof typeof OPERATIONS, parameters: unknown) {
    return checkParameters({ operation, server: 'NA', parameters, now });
  }

  /** Reads the children of one element independently, so the client's code does not check itself. */
  function readElements(xml: string, operation: string): Record<string, string> {
    const inside = new RegExp(`<${operation} [^>]*>([^]*)</${operation}>`).exec(xml)?.[1] ?? '';
    const elements = [...inside.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
    const plain = (text: string) =>
      text
        .replaceAll('\r', '\n')
        .replaceAll('&#xD;', '\r')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&');
    return Object.fromEntries(elements.map(([, name = '', text = '']) => [name, plain(text)]));
  }
});

describe('exchange', () => {
  afterEach(closeServers);

  it.each(ALL_OPERATIONS)('repeats %s only if it reads', async (operation) => {
    const waits: number[] = [];
    const server = await script({ onRequest: (socket) => socket.destroy() });
    const answer = await callOn(server.url, operation, {
      world: {
        wait: async (ms) => {
          waits.push(ms);
        },
      },
    });
    const isRead = OPERATIONS[operation].effect === 'read';
    expect(answer.kind).toBe(isRead ? 'failed' : 'unknown');
    expect(server.requests).toHaveLength(isRead ? 3 : 1);
    expect(waits).toEqual(isRead ? [200, 400] : []);
  });

  it('stops repeating at the first answer, whatever it says', async () => {
    let calls = 0;
    const server = await script({
      onRequest: (socket) => {
        calls += 1;
        if (calls === 1) socket.destroy();
        else socket.end(httpAnswer(503, 'busy'));
      },
    });
    const answer = await callOn(server.url, 'getCustomerCodeDetail');
    expect(answer).toEqual({ kind: 'failed', errors: 'the service answered HTTP 503' });
    expect(server.requests).toHaveLength(2);
  });

  it('asks once for what is too large', async () => {
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(200, 'x'.repeat(1001))) });
    const answer = await callOn(server.url, 'getCustomerCodeDetail', { settings: { maxAnswerBytes: 1000 } });
    expect(answer).toEqual({ kind: 'failed', errors: 'the answer is larger than 1000 bytes' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['getCustomerCodeDetail', 'processCreditCard'] as const)(
    'tells that nothing of %s left, once, and does not try again',
    async (operation) => {
      const server = await script({ onConnect: (socket) => socket.end() });
      const entries: TranscriptEntry[] = [];
      const transcript = (entry: TranscriptEntry) => entries.push(entry);
      expect(await callOn(server.url, operation, { settings: { transcript } })).toMatchObject({ kind: 'not_sent' });
      expect(server.connections).toHaveLength(1);
      expect(entries).toEqual([]);
    },
  );

  it('says failed, not not_sent, of a read whose later attempts find nobody', async () => {
    const server = await script({ onRequest: (socket) => socket.destroy() });
    let waits = 0;
    const wait = async () => {
      waits += 1;
      if (waits === 1) await closeServers();
    };
    const answer = await callOn(server.url, 'getCustomerCodeDetail', { world: { wait } });
    expect(answer).toMatchObject({ kind: 'failed' });
    expect(waits).toBe(2);
  });

  it('tells the transcript each step, and bears its errors', async () => {
    const entries: TranscriptEntry[] = [];
    const transcript = (entry: TranscriptEntry) => {
      entries.push(entry);
      throw new Error('the listener broke');
    };
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(500, '<IATSRESPONSE>no')) });
    const answer = await callOn(server.url, 'processCreditCard', { settings: { transcript } });
    expect(answer).toEqual({ kind: 'unknown', why: 'the service answered HTTP 500' });
    expect(entries).toEqual([
      {
        operation: 'processCreditCard',
        attempt: 1,
        direction: 'request',
        xml: expect.stringContaining('<creditCardNum>[removed]</creditCardNum>'),
      },
      {
        operation: 'processCreditCard',
        attempt: 1,
        direction: 'answer',
        httpStatus: 500,
        why: '',
        xml: '<IATSRESPONSE>no',
      },
    ]);
  });
});
