import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { achRow, cardRow } from '../../support/payment-rows.ts';
import { openCallWorld, SECRET_ENVIRONMENT, SECRETS } from '../support/cli-world.ts';
import { type Ran, runHere } from '../support/run-here.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openCallWorld);
const said: string[] = [];
const called = new Set<string>();
afterEach(() => {
  for (const name of Object.keys(SECRET_ENVIRONMENT)) vi.stubEnv(name, undefined);
});

async function call(operation: OperationName, ...words: string[]): Promise<Ran> {
  called.add(operation);
  for (const [name, value] of Object.entries(SECRET_ENVIRONMENT)) vi.stubEnv(name, value);
  const ran = await world.paydrop('call', operation, '--account', 'main', ...words);
  said.push(ran.out, ran.err);
  return ran;
}

/** Reads a value from the printed lines. */
function valueOf({ out }: Ran, label: string): string {
  return new RegExp(`^ {2}${label} +(\\S.*)$`, 'm').exec(out)?.[1] ?? 'none';
}

const PERSON = [
  '--firstName Ada --lastName Byron --city Troy --state NY --zipCode 12180'.split(' '),
  ['--address', '1 Mill Lane'],
].flat();
const CARD = ['--creditCardExpiry', '12/35', '--mop', 'VISA'];
const EMPTY = ['customerIPAddress', 'fax', 'alternatePhone', 'comment'].flatMap((name) => [`--${name}`, '']);
const SCHEDULE = [
  '--recurring --amount 5.00 --beginDate 2026-06-16 --endDate 2031-06-15T00:00:00-04:00'.split(' '),
  '--scheduleType Weekly --scheduleDate 7'.split(' '),
].flat();

describe('call: all operations against the sandbox', () => {
  it('charges and refunds a card', async () => {
    const charge = await call('processCreditCard', ...PERSON, ...CARD, '--total', '25.00', '--invoiceNum', 'I-1');
    expect(charge).toMatchObject({
      status: 0,
      err: '',
      out: expect.stringMatching(/^approved\n {2}transactionId +\S+\n/),
    });
    expect(valueOf(charge, 'authorization')).toBe('678594');
    const id = valueOf(charge, 'transactionId');
    const refund = await call('processCreditCardRefundWithTransactionId', '--transactionId', id, '--total', '-5.00');
    expect(refund).toMatchObject({ status: 0, err: '' });
  });

  it('charges and refunds a bank account', async () => {
    const charge = await call('processACHEFT', '--accountType', 'CHECKING', '--total', '25.00');
    expect(charge).toMatchObject({
      status: 0,
      err: '',
      out: expect.stringMatching(/^accepted: not finished yet\n/),
    });
    const id = valueOf(charge, 'transactionId');
    const refund = await call('processACHEFTRefundWithTransactionId', '--transactionId', id, '--total', '-5.00');
    expect(refund).toMatchObject({ status: 0, err: '' });
  });

  it('makes a customer code with a charge and charges it again', async () => {
    const card = ['--ccExp', '12/35', '--total', '5.00'];
    const first = await call('createCustomerCodeAndProcessCreditCard', ...PERSON, ...card);
    const code = ['--customerCode', valueOf(first, 'customerCode'), '--total', '6.00'];
    expect((await call('processCreditCardWithCustomerCode', ...code)).status).toBe(0);
    expect((await call('processCreditCardWithCustomerCode', ...code, '--mop', 'VISA')).status).toBe(0);
    const bank = ['--accountType', 'CHECKING', '--total', '5.00'];
    const other = await call('createCustomerCodeAndProcessACHEFT', ...PERSON, ...bank);
    const bankCode = ['--customerCode', valueOf(other, 'customerCode'), '--total', '6.00'];
    expect((await call('processACHEFTWithCustomerCode', ...bankCode)).status).toBe(0);
  });

  it('creates, reads, changes, lists and deletes customer records', async () => {
    const more = ['--companyName', 'Engine Co.', '--phone', '555-555-1234', '--email', 'ada@example.com'];
    const owner = ['--creditCardCustomerName', 'Ada Byron'];
    const made = await call(
      'createCreditCardCustomerCode',
      ...PERSON,
      ...EMPTY,
      ...more,
      ...SCHEDULE,
      ...owner,
      ...CARD,
    );
    expect(made).toMatchObject({ status: 0, err: '' });
    const code = ['--customerCode', valueOf(made, 'customerCode')];
    const bank = await call('createACHEFTCustomerCode', ...PERSON, '--accountType', 'CHECKING');
    const bankCode = ['--customerCode', valueOf(bank, 'customerCode')];

    const detail = await call('getCustomerCodeDetail', ...code);
    expect(valueOf(detail, 'lastName')).toBe('Byron');
    expect(valueOf(detail, 'payment.creditCardNum')).toMatch(/\*2220$/);
    expect(valueOf(detail, 'recurring.amount')).toBe('5.00');
    expect((await call('updateCreditCardCustomerCode', ...code, '--city', 'Salem')).status).toBe(0);
    expect((await call('updateACHEFTCustomerCode', ...bankCode, '--city', 'Dover')).status).toBe(0);

    const range = ['--customerCode', '', '--fromDate', '2026-06-15', '--toDate', '2026-06-16'];
    const table = await call('getCustomerListByCreationTimeXML', ...range);
    expect(table.out).toMatch(/^approved\nCustomer code +Name[^]*Salem[^]*VISA/);
    expect(table.out).toContain('Dover');
    const csv = await call('getCustomerListByCreationTimeCSV', ...range);
    expect(csv.out).toMatch(/^Customer Code,First Name,[^]*Salem/);
    expect(csv.out).not.toContain('approved');

    expect((await call('deleteCustomerCode', ...code)).status).toBe(0);
    const gone = await call('getCustomerCodeDetail', ...code);
    expect(gone).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringMatching(/^failed: there is no data\n {2}errors/),
    });
  });

  it.each([
    ['processCreditCardBatch', cardRow(1)],
    ['processACHEFTChargeBatch', achRow(1)],
    ['processACHEFTRefundBatch', achRow(2, { amount: '-5.00' })],
  ] as const)('%s: sends the bytes of a file and fetches its result', async (operation, row) => {
    const path = join(world.root, `${operation}.csv`);
    await writeFile(path, row);
    const sent = await call(operation, '--batchFile', path);
    expect(sent).toMatchObject({ status: 0, err: '' });
    const batch = ['--batchId', valueOf(sent, 'batchId')];
    const running = await call('getBatchProcessResultFile', ...batch);
    expect(running).toMatchObject({ status: 0, out: '', err: expect.stringContaining('not there yet') });

    world.sandbox.clock.advance(2_000);
    const printed = await call('getBatchProcessResultFile', ...batch);
    expect(printed).toMatchObject({ status: 0, err: '' });
    expect(printed.out).toContain(row.split(',')[1]);
    const out = join(world.root, `${operation}.result.csv`);
    expect(await call('getBatchProcessResultFile', ...batch, '--out', out)).toMatchObject({ status: 0, out: '' });
    expect(await readFile(out, 'utf8')).toBe(printed.out);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const json = JSON.parse((await call('getBatchProcessResultFile', ...batch, '--json')).out) as Result;
    expect(Buffer.from(json.result.file, 'base64').toString()).toBe(printed.out);
  });

  it('was about all of them, and none said a secret', () => {
    expect([...called].sort()).toEqual(Object.keys(OPERATIONS).sort());
    expect(said.join('').length).toBeGreaterThan(1_000);
    for (const secret of Object.values(SECRETS)) expect(said.join('\n')).not.toContain(secret);
  });
});

type Result = { result: { file: string } };

describe('call: what came of it', () => {
  it('is 2 for a decline, with the code and what to do', async () => {
    const words = ['call', 'processCreditCard', '--account', 'main', ...PERSON, ...CARD, '--total', '2.00', '--stdin'];
    const { status, out, err } = await world.pipe('creditCardNum=4111111111111111\ncvv2=123\n', ...words);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(
      /^declined: nothing was booked\n {2}code +15\n {2}message +\S.*\n {2}advice +the payer must act/,
    );
    expect(err).not.toContain('4111111111111111');
  });

  it('is 1 for parameters that break a rule, each named, without their values', async () => {
    const { status, out, err } = await world.pipe(
      JSON.stringify({ creditCardNum: '42222222222222x0', cvv2: '1', colour: 'red' }),
      ...'call processCreditCard --account main --stdin --mop VISA --total 0'.split(' '),
      ...PERSON,
    );
    expect({ status, out }).toEqual({ status: 1, out: '' });
    for (const field of ['creditCardNum', 'cvv2', 'colour', 'creditCardExpiry', 'total'])
      expect(err).toMatch(new RegExp(`^ {2}${field} `, 'm'));
    expect(err).not.toMatch(/42222222|\bred\b/);
  });

  it('is the answer of the client as JSON', async () => {
    const { status, out } = await world.paydrop(
      ...'call processACHEFT --account main --accountType CASH --total 5.00 --json'.split(' '),
    );
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ kind: 'invalid', faults: expect.any(Array) });
  });

  it('refuses a secret as option before anything leaves, and takes it with leave', async () => {
    const words = ['call', 'processACHEFT', '--account', 'main', '--accountType', 'CHECKING', '--total', '7.00'];
    const refused = await world.paydrop(...words, '--accountNum', SECRETS.account);
    expect(refused).toMatchObject({ status: 1, out: '' });
    expect(refused.err).toMatch(/^Cannot take --accountNum: .*PAYDROP_ACCOUNT_NUM.*--stdin.*asked at a terminal/);
    const taken = await world.paydrop(...words, '--accountNum', SECRETS.account, '--allow-secret-flags');
    expect(taken).toMatchObject({ status: 0, err: expect.stringMatching(/^Warning: /) });
    for (const { out, err } of [refused, taken]) expect(out + err).not.toContain(SECRETS.account);
  });
});

describe('call: what was typed', () => {
  it('takes the first letter of an operation in either case', async () => {
    const { status, err } = await world.paydrop(
      'call',
      'GetCustomerCodeDetail',
      '--account',
      'main',
      '--customerCode',
      'A1',
    );
    expect(status).toBe(2);
    expect(err).toMatch(/^failed/);
  });

  it.each([
    [['call', 'processCreditCrad'], 'Did you mean processCreditCard?'],
    [['call', 'processCreditCard', '--account', 'main', '--invoiceNo', 'I-1'], 'Did you mean --invoiceNum?'],
    [['call', 'processCreditCard', '--account', 'main', '--cvv=9173'], "unknown option '--cvv=…'"],
    [['call', 'deleteCustomerCode'], "required option '--account <name>' not specified"],
    [['call', 'deleteCustomerCode', '--account', 'mian'], 'Cannot use account "mian": it is not in the configuration.'],
    [['call'], 'Usage: paydrop call <command> [options]'],
  ])('%j: status 1 and "%s"', async (words, sentence) => {
    const err = await world.refusal(...words);
    expect(err).toContain(sentence);
    expect(err).not.toContain('9173');
  });

  it('has help with every operation and its purpose, and the exit statuses', async () => {
    const { status, out } = await runHere(['call', '--help']);
    expect(status).toBe(0);
    for (const [operation, { purpose }] of Object.entries(OPERATIONS)) {
      expect(out).toMatch(new RegExp(`^ {2}${operation} +${purpose}`, 'm'));
      expect(out).not.toContain(`|${operation[0]!.toUpperCase()}`);
    }
    expect(out).toMatch(/Exit status of a call:\n {2}0 /);
  });

  it('has help of one operation with its parameters only, the required ones first', async () => {
    const { status, out } = await runHere(['call', 'processACHEFT', '--help']);
    expect(status).toBe(0);
    const { required, optional, unstated } = OPERATIONS.processACHEFT;
    const names = [...required, ...optional, ...unstated];
    const listed = [...out.matchAll(/^ {2}--(\w+) /gm)].map(([, name = '']) => name);
    const own = ['account', 'json', 'yes', 'stdin', 'allow', 'dir'];
    expect(listed.filter((name) => !own.includes(name))).toEqual(names.filter((name) => name !== 'accountNum'));
    expect(out.indexOf('Required parameters:')).toBeLessThan(out.indexOf('Optional parameters:'));
    expect(out).toMatch(/Usage: paydrop call processACHEFT --account <name> \[options\]\n/);
    expect(out).toMatch(/accountNum +required +PAYDROP_ACCOUNT_NUM/);
  });
});
