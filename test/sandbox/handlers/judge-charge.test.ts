import { describe, expect, it } from 'vitest';
import {
  paymentPayload,
  PAYMENT_REFUSALS,
  judgeCharge,
  type JudgedCharge,
  outcomeOf,
  payerOfCall,
  readTotal,
} from '../../../src/sandbox/handlers/charge.ts';
import { callSandbox, CUSTOMER_PATH, makeCall, sampleCustomer, valueOf } from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import { type Fields, PATH } from '../support/soap-request.ts';
import { WIRE_OPERATIONS, type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { HANDLERS, servedOperations } from '../../../src/sandbox/handlers/handlers.ts';

const sandboxes = useSandboxes();

const CARD: JudgedCharge = {
  kind: 'card',
  number: '4222222222222220',
  amountCents: 500,
  server: undefined,
  ipAddress: '',
};
const BANK: JudgedCharge = { ...CARD, kind: 'bank', number: '02100002100000000000000001' };

describe('judgeCharge', () => {
  it.each<[string, JudgedCharge, string]>([
    ['a card', CARD, 'OK: 678594:'],
    ['a card of which it depends on the amount', { ...CARD, number: '4111111111111111' }, 'REJECT: 15'],
    [
      'a card with a code',
      { ...CARD, number: '4111111111111111', amountCents: 1500, securityCode: '1234' },
      'OK: 678594:Y',
    ],
    ['a card that is none', { ...CARD, number: '9999999999999999' }, 'REJECT: 40'],
    ['a card that is none, and no amount', { ...CARD, number: '1', amountCents: undefined }, 'REJECT: 40'],
    ['a card and no amount', { ...CARD, amountCents: undefined }, 'REJECT: 5'],
    ['a card and nothing', { ...CARD, amountCents: 0 }, 'REJECT: 5'],
    ['a card and less than nothing', { ...CARD, amountCents: -1 }, 'REJECT: 5'],
    ['a card and too much', { ...CARD, amountCents: 200_001 }, 'REJECT: 39'],
    ['an account', BANK, 'OK: 555555:'],
    ['an account and more than a card may', { ...BANK, amountCents: 200_001 }, 'OK: 555555:'],
    ['an account that is none, and no amount', { ...BANK, number: '123', amountCents: undefined }, 'REJECT: 40'],
    ['an account and nothing', { ...BANK, amountCents: 0 }, 'REJECT: 5'],
  ])('%s', (_, charge, message) => {
    expect(judgeCharge(charge)).toBe(message);
  });
});

describe('outcomeOf', () => {
  it.each([
    ['card', true, 'approved'],
    ['bank', true, 'accepted_pending'],
    ['card', false, 'declined'],
    ['bank', false, 'declined'],
  ] as const)('of a %s that is paid: %s', (kind, isPaid, outcome) => {
    expect(outcomeOf(kind, isPaid)).toBe(outcome);
  });
});

const NUMBER = '4222222222222220';
const FIELDS = { firstName: ' Ada', lastName: 'Byron', mop: 'VISA', creditCardExpiry: '12/30', comment: 'Gift' };

describe('payerOfCall', () => {
  it('reads who pays with a card, and masks it', () => {
    const { parameters } = makeCall('processCreditCard', FIELDS);
    const paid = { kind: 'card', number: NUMBER, expiry: 'creditCardExpiry', record: undefined } as const;
    expect(payerOfCall(parameters, paid)).toEqual({
      firstName: 'Ada',
      lastName: 'Byron',
      payment: 'VISA',
      shownNumber: '4***********2220',
      expiry: '12/30',
      comment: 'Gift',
    });
  });

  it('leaves empty what a bank charge does not say', () => {
    const { parameters } = makeCall('processACHEFT', { accountType: 'CHECKING' });
    const paid = { kind: 'bank', number: '12345678', expiry: 'creditCardExpiry', record: undefined } as const;
    expect(payerOfCall(parameters, paid)).toEqual({
      firstName: '',
      lastName: '',
      payment: 'CHECKING',
      shownNumber: '1***5678',
      expiry: '',
      comment: '',
    });
  });

  it('takes the payer of a stored record from there, but never its comment', () => {
    const { parameters } = makeCall('processCreditCardWithCustomerCode', { customerCode: 'A1', comment: 'Gift' });
    const record = sampleCustomer({ method: 'MC', expiry: '01/31', textOf: (field) => `the ${field}` });
    expect(payerOfCall(parameters, { kind: 'card', number: NUMBER, expiry: 'creditCardExpiry', record })).toEqual({
      firstName: 'the firstName',
      lastName: 'the lastName',
      payment: 'MC',
      shownNumber: '4***********2220',
      expiry: '01/31',
      comment: 'Gift',
    });
  });
});

describe('paymentPayload', () => {
  it('pads its values and settles on the day after', () => {
    const result = { message: 'OK: 678594:', customerCode: '', transactionId: 'A9000001' };
    expect(paymentPayload('card', result, new Date('2017-06-15T10:11:12Z'))).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT> OK: 678594:\n</AUTHORIZATIONRESULT><CUSTOMERCODE />' +
        '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>' +
        '<TRANSACTIONID>A9000001\n</TRANSACTIONID></PROCESSRESULT>',
    );
  });

  it('settles beyond the end of a year', () => {
    const payload = paymentPayload(
      'card',
      { message: '', customerCode: '', transactionId: '' },
      new Date('2017-12-31T23:59:59Z'),
    );
    expect(payload).toContain('> 12/31/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 01/01/2018\n<');
  });
});

describe('paymentPayload of a bank', () => {
  it('has no dates, an unpadded code, and an empty element where there is no id', () => {
    const result = { message: 'REJECT: 40', customerCode: 'A&B', transactionId: '' };
    expect(paymentPayload('bank', result, new Date(0))).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT> REJECT: 40\n</AUTHORIZATIONRESULT><CUSTOMERCODE>A&amp;B</CUSTOMERCODE>' +
        '<TRANSACTIONID /></PROCESSRESULT>',
    );
  });
});

describe('the payloads without a transaction', () => {
  it('name none', () => {
    expect(PAYMENT_REFUSALS.failurePayload).toBe('<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>');
    expect(PAYMENT_REFUSALS.badLoginPayload).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT> REJECT: 1\n</AUTHORIZATIONRESULT><CUSTOMERCODE /><TRANSACTIONID /></PROCESSRESULT>',
    );
  });
});

describe('readTotal', () => {
  it.each([
    ['5', 500],
    ['5.00', 500],
    ['5,00', 500],
    [' 5.1\n', 510],
    ['-5', -500],
    ['0', 0],
  ])('reads %j', (text, cents) => {
    expect(readTotal(text)).toBe(cents);
  });

  it.each([undefined, '', 'five', '1,000.00', '1.000', '$5', '99999999999'])('refuses %j', (text) => {
    expect(readTotal(text)).toBeUndefined();
  });
});

describe('HANDLERS', () => {
  it.each(Object.entries(HANDLERS))('%s asks only for elements that its operation has', (operation, handler) => {
    const { elements } = wireRow(operation as WireOperation);
    expect(handler.needs.every((name) => elements.includes(name))).toBe(true);
  });
});

describe('servedOperations', () => {
  it('lists what has a handler, by service', () => {
    for (const service of ['ProcessLink', 'CustomerLink', 'ReportLink'] as const) {
      expect(servedOperations(service).sort()).toEqual(operationsOf(service));
    }
  });
});

function operationsOf(service: string): string[] {
  return WIRE_OPERATIONS.filter((operation) => wireRow(operation).service === service).sort();
}

describe('a sandbox for the public suite', () => {
  it('takes its cards with the dates that it prints, in calls and records', async () => {
    const sandbox = await sandboxes.start({ publicSuites: true });
    const told = async (element: string, fields: Fields, service = CUSTOMER_PATH) =>
      valueOf(
        await callSandbox(sandbox, element, { firstName: 'Ada', lastName: 'Byron', ...fields }, { path: service }),
        'AUTHORIZATIONRESULT',
      ).trim();
    const charge = { creditCardNum: '4222222222222220', creditCardExpiry: '12/17', total: '5' };
    const record = { ...charge, customerCode: 'SUITE', recurring: 'false', mop: 'VISA' };
    const change = {
      ...record,
      updateCreditCardNum: 'true',
      creditCardNum: '4444444444444448',
      creditCardExpiry: '12/20',
    };
    const old = { creditCardExpiry: '12/15' };
    const other = { creditCardNum: '5555555555554444' };
    expect(await told('ProcessCreditCard', charge, PATH)).toBe('OK: 678594:');
    expect(await told('ProcessCreditCard', { ...charge, ...old }, PATH)).toBe('REJECT: 24');
    expect(await told('ProcessCreditCard', { ...charge, ...other }, PATH)).toBe('REJECT: 24');
    expect(await told('CreateCreditCardCustomerCode', { ...record, ...old })).toBe('0Error:Invalid expiry date');
    expect(await told('CreateCreditCardCustomerCode', { ...record, ...other })).toBe('0Error:Invalid expiry date');
    expect(await told('CreateCreditCardCustomerCode', record)).toBe('OK');
    expect(await told('ProcessCreditCardWithCustomerCode', record, PATH)).toBe('OK: 678594:');
    expect(await told('UpdateCreditCardCustomerCode', change)).toBe('OK');
    expect(await told('ProcessCreditCardWithCustomerCode', record, PATH)).toBe('OK: 678594:');
  });

  it('goes by its clock alone once that is set', async () => {
    const sandbox = await sandboxes.start({ publicSuites: true, now: '2026-06-15T10:00:00Z' });
    const charge = { creditCardNum: '4222222222222220', creditCardExpiry: '12/17', total: '5' };
    const answer = await callSandbox(sandbox, 'ProcessCreditCard', charge);
    expect(valueOf(answer, 'AUTHORIZATIONRESULT').trim()).toBe('REJECT: 24');
  });
});
