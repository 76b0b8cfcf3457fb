import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADVICE } from '../../../schemas/rejections.ts';
import { answerStatus, customerTable, describeAnswer } from '../../../src/cli/call/describe-answer.ts';
import type { AnyAnswer, CustomerRecord } from '../../../src/gateway/answers.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { createGatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { RECORD } from '../../gateway/support/soap-answers.ts';
import { type CallWorld, openCallWorld, SECRETS } from '../support/cli-world.ts';
import type { Ran } from '../support/run-here.ts';

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
      'accepted: not finished yet\n  batchId  7',
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
    [{ kind: 'not_sent', why: 'refused' }, /you can repeat the call\n {2}why {2}refused$/],
    [
      { kind: 'unknown', why: 'time out' },
      /^outcome unknown: the service may or may not have done it\n {2}why {2}time out\nLook it up/,
    ],
  ] satisfies [AnyAnswer, RegExp][])('says of %j what it means', (answer, text) => {
    expect(describeAnswer('processCreditCard', answer)).toMatch(text);
  });

  it('ends an unknown answer with what not to do', () => {
    const text = describeAnswer('processCreditCard', { kind: 'unknown', why: 'time out' });
    expect(text).toMatch(/Look it up before you repeat this call[^]*second call would do it twice\.$/);
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

const result = { batchId: '1' };
const ANSWERS: readonly (readonly [AnyAnswer, number])[] = [
  [{ kind: 'approved', result }, EXIT.ok],
  [{ kind: 'accepted', result }, EXIT.ok],
  [{ kind: 'invalid', faults: [] }, EXIT.usage],
  [{ kind: 'declined', code: 15, message: 'x', advice: 'cardholder', transactionId: null }, EXIT.invalid],
  [{ kind: 'failed', errors: 'x' }, EXIT.invalid],
  [{ kind: 'restricted', message: 'x' }, EXIT.invalid],
  [{ kind: 'unknown', why: 'x' }, EXIT.unknownOpen],
  [{ kind: 'not_sent', why: 'x' }, EXIT.exception],
];

it.each(ANSWERS.map(([answer, status]) => [answer.kind, answer, status] as const))(
  'answerStatus of %s',
  (_kind, answer, status) => {
    expect(answerStatus(answer)).toBe(status);
  },
);

const ADA: CustomerRecord = {
  ...RECORD,
  customerCode: 'A1',
  companyName: 'Engine\r\nCo.',
  recurring: { ...RECORD.recurring, amount: '5.00' },
};

describe('customerTable', () => {
  it('has a line for each customer: who, how they pay, what recurs', () => {
    const bank: CustomerRecord['payment'] = {
      kind: 'bank',
      accountCustomerName: 'Ada',
      accountNum: '**01',
      accountType: 'CHECKING',
    };
    const [titles = '', , card = '', ...others] = customerTable([
      ADA,
      { ...ADA, customerCode: 'A2', payment: bank },
      { ...ADA, customerCode: 'A3', payment: null },
    ]).split('\n');
    expect(titles).toMatch(/^Customer code +Name +Company +E-mail +City +Payment +Number +Expiry +Recurring$/);
    expect(card).toMatch(/^A1 +Ada Byron +Engine Co\. +ada@example\.com +Troy +VISA +4\*+2220 +12\/20 +5\.00 Weekly$/);
    expect(others).toHaveLength(2);
    expect(others[0]).toMatch(/^A2 .*Troy +CHECKING +\*\*01 +5\.00 Weekly$/);
    expect(others[1]).toMatch(/^A3 .*Troy +5\.00 Weekly$/);
  });

  it('says when there is none', () => {
    expect(customerTable([])).toBe('There is no such customer.');
  });
});

const PERSON = { lastName: 'Byron', address: '1 Mill Lane', city: 'Troy', state: 'NY', zipCode: '12180' };

let world: CallWorld;

async function list(from: string, to: string, ...words: string[]): Promise<Ran> {
  const ran = await world.paydrop('customers', 'list', '--account', 'main', '--from', from, '--to', to, ...words);
  for (const secret of Object.values(SECRETS)) expect(ran.out + ran.err).not.toContain(secret);
  return ran;
}

function codesIn({ out }: Ran): string[] {
  return ['EVIL', 'LATE', 'NEXT'].filter((code) => out.includes(code));
}

describe('customers list', () => {
  beforeAll(async () => {
    world = await openCallWorld({ wrong: { password: 'WRONGCANARY' }, nobody: { baseUrl: 'http://127.0.0.1:1' } });
    const { url: baseUrl } = world.sandbox;
    const client = createGatewayClient({ server: 'NA', agentCode: 'TEST88', password: SECRETS.password, baseUrl });
    const bank = { accountNum: SECRETS.account, accountType: 'CHECKING' } as const;
    await client.createACHEFTCustomerCode({ ...PERSON, ...bank, firstName: '=1+1', customerCode: 'EVIL' });
    // This is 23:59 of the same day in New York. The clock runs on during the test.
    world.sandbox.clock.set('2026-06-16T03:59:00Z');
    await client.createACHEFTCustomerCode({ ...PERSON, ...bank, firstName: 'Ada', customerCode: 'LATE' });
    world.sandbox.clock.set('2026-06-16T05:00:00Z');
    await client.createACHEFTCustomerCode({ ...PERSON, ...bank, firstName: 'Bea', customerCode: 'NEXT' });
  });
  afterAll(() => world.close());

  it('is a table of whole days in the time zone of the account', async () => {
    const ran = await list('2026-06-15', '2026-06-15');
    expect(ran).toMatchObject({ status: 0, err: '' });
    expect(ran.out).toMatch(/^Customer code +Name/);
    expect(ran.out).toMatch(/^LATE +Ada Byron .*CHECKING/m);
    expect(codesIn(ran)).toEqual(['EVIL', 'LATE']);
    expect(codesIn(await list('2026-06-16', '2026-06-16'))).toEqual(['NEXT']);
  });

  it('takes moments as well, and one customer code', async () => {
    expect(codesIn(await list('2026-06-16T03:00:00Z', '2026-06-16T01:30:00-04:00'))).toEqual(['LATE', 'NEXT']);
    expect(codesIn(await list('2026-06-15', '2026-06-16', '--code', 'NEXT'))).toEqual(['NEXT']);
  });

  it('is the CSV of the service on request, safe to open in a spreadsheet', async () => {
    const { status, out, err } = await list('2026-06-15', '2026-06-15', '--format', 'csv');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const lines = out.trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^Customer Code,First Name,/);
    expect(lines[1]).toMatch(/^EVIL,'=1\+1,Byron,/);
  });

  it.each([['--format', 'json'], ['--json']])('is the records as JSON with %s %s', async (...words) => {
    const { status, out } = await list('2026-06-15', '2026-06-15', ...words);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { customerCode: 'EVIL', firstName: '=1+1', payment: { kind: 'bank' } },
      { customerCode: 'LATE' },
    ]);
  });

  it('says when there is none, and prints an empty list as JSON', async () => {
    expect((await list('2020-01-01', '2020-01-01')).out).toBe('There is no such customer.\n');
    expect(JSON.parse((await list('2020-01-01', '2020-01-01', '--json')).out)).toEqual([]);
  });

  it.each([
    [['--from', 'monday', '--to', '2026-06-15'], 1, /--from +must be .*, or a day such as 2026-11-20\n$/],
    [['--from', '2026-06-15', '--to', '2026-02-30'], 1, /--to +must be/],
    [['--from', '2026-06-15'], 1, /required option '--to <time>' not specified/],
    [
      ['--from', '2026-06-15', '--to', '2026-06-15', '--format', 'xml'],
      1,
      /^Cannot use --format: it must be one of table, csv/,
    ],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'wrong'], 2, /^failed: there is no data/],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'wrong', '--format', 'csv'], 2, /^failed/],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'nobody'], 5, /^not sent/],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'mian'], 1, /^Cannot use account "mian"/],
  ])('%j ends with %i and says why on standard error only', async (words, code, sentence) => {
    const { status, out, err } = await world.paydrop('customers', 'list', '--account', 'main', ...words);
    expect({ status, out }).toEqual({ status: code, out: '' });
    expect(err).toMatch(sentence);
    expect(err).not.toMatch(/CANARY/);
  });
});
