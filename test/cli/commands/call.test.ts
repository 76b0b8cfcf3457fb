import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { achRow, cardRow } from '../../support/payment-rows.ts';
import { openCallWorld, SECRET_ENVIRONMENT, SECRETS } from '../support/cli-world.ts';
import { exampleOf } from '../../../src/cli/call/call.ts';
import { type Ran, runHere } from '../support/run-here.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];
const SCHEDULE = [
  '--recurring --amount 5.00 --beginDate 2026-06-16 --endDate 2031-06-15T00:00:00-04:00'.split(' '),
  '--scheduleType Weekly --scheduleDate 7'.split(' '),
].flat();

const world = openedForTests(openCallWorld);
const said: string[] = [];
afterEach(() => {
  for (const name of Object.keys(SECRET_ENVIRONMENT)) vi.stubEnv(name, undefined);
});

/** Runs a call with the secrets in the environment, and keeps what it printed. */
async function call(...words: string[]): Promise<Ran> {
  for (const [name, value] of Object.entries(SECRET_ENVIRONMENT)) vi.stubEnv(name, value);
  const ran = await world.paydrop(...words);
  said.push(ran.out, ran.err);
  return ran;
}

/** Returns the words of the example in the help of an operation. */
function readExample(operation: OperationName): string[] {
  return (exampleOf(operation).match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

/** Reads a value from the printed lines. */
function valueOf({ out }: Ran, label: string): string {
  return new RegExp(`^ {2}${label} +(\\S.*)$`, 'm').exec(out)?.[1] ?? 'none';
}

describe('call', () => {
  it.each(NAMES)('%s: the service answers the example of its help', async (operation) => {
    const file = join(world.root, 'monday.csv');
    await writeFile(file, operation.includes('ACH') ? achRow(1) : cardRow(1));
    const words = readExample(operation).map((word) => (word === 'monday.csv' ? file : word));
    const { status, err } = await call(...words);
    // The example names records that this service does not have.
    if (status === 2) expect(err).toMatch(/^(?:declined|failed): /);
    else expect(status, err).toBe(0);
  });

  it('makes a customer record with optional parameters and an empty one, and reads it', async () => {
    const made = await call(...readExample('createCreditCardCustomerCode'), '--companyName', '', ...SCHEDULE);
    expect(made).toMatchObject({ status: 0, err: '' });
    const code = ['--customerCode', valueOf(made, 'customerCode')];
    const detail = await call('call', 'getCustomerCodeDetail', '--account', 'main', ...code);
    expect(valueOf(detail, 'lastName')).toBe('Byron');
    expect(valueOf(detail, 'payment.creditCardNum')).toMatch(/\*2220$/);
    expect(valueOf(detail, 'recurring.amount')).toBe('5.00');
  });

  it('sends the bytes of a file, fetches its result and writes it', async () => {
    const path = join(world.root, 'card.csv');
    await writeFile(path, cardRow(1));
    const sent = await call('call', 'processCreditCardBatch', '--account', 'main', '--batchFile', path);
    world.sandbox.clock.advance(2_000);
    const batch = ['call', 'getBatchProcessResultFile', '--account', 'main', '--batchId', valueOf(sent, 'batchId')];
    const printed = await call(...batch);
    expect(printed.out).toContain(cardRow(1).split(',')[1]);
    const out = join(world.root, 'card.result.csv');
    expect(await call(...batch, '--out', out)).toMatchObject({ status: 0, out: '' });
    expect(await readFile(out, 'utf8')).toBe(printed.out);
  });

  it('takes secrets from standard input, and ends a decline with 2', async () => {
    const words = [...readExample('processCreditCard'), '--total', '2.00', '--stdin'];
    const ran = await world.pipe('creditCardNum=4111111111111111\ncvv2=123\n', ...words);
    expect(ran).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/^declined: /) });
  });

  it('refuses a secret as option, and takes it with leave', async () => {
    const words = [...readExample('processACHEFT'), '--accountNum', SECRETS.account];
    expect(await world.refusal(...words)).toMatch(/^Cannot take --accountNum: /);
    const taken = await world.paydrop(...words, '--allow-secret-flags');
    expect(taken).toMatchObject({ status: 0, err: expect.stringMatching(/^Warning: /) });
  });

  it('said no secret in all of them', () => {
    expect(said.join('').length).toBeGreaterThan(1_000);
    for (const secret of Object.values(SECRETS)) expect(said.join('\n')).not.toContain(secret);
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

  it('has help of one operation with the required parameters first, and no secret among the options', async () => {
    const { status, out } = await runHere(['call', 'processACHEFT', '--help']);
    expect(status).toBe(0);
    expect(out).toMatch(/Usage: paydrop call processACHEFT --account <name> \[options\]\n/);
    expect(out.indexOf('Required parameters:')).toBeLessThan(out.indexOf('Optional parameters:'));
    expect(out).toMatch(/accountNum +required +PAYDROP_ACCOUNT_NUM/);
    expect(out).not.toContain('--accountNum');
  });
});
