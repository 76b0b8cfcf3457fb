import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatherValues, type TypedValues, readInput, readSecrets } from '../../../src/cli/call/gather-values.ts';
import type { Call } from '../../../src/cli/command.ts';
import { CARD, cardRow } from '../../support/payment-rows.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { fakeTerminal, pipedInput, takeDown } from '../support/run-here.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import { ask, hasPerson, systemTerminal, type Terminal } from '../../../src/cli/call/terminal.ts';
import { readLastMoment, readMoment, toParameters } from '../../../src/cli/call/to-parameters.ts';

const ENV = { PAYDROP_CREDIT_CARD_NUM: CARD, PAYDROP_CVV2: '123' };

function gather(options: Call['options'], input = '', env: NodeJS.ProcessEnv = ENV, isSandbox = true) {
  return gatherValues('processCreditCard', options, { env, terminal: pipedInput(input) }, isSandbox);
}

type Around = { given?: TypedValues; env?: NodeJS.ProcessEnv; terminal?: Terminal; required?: boolean };

function readSecretsOf(operation: OperationName, around: Around = {}) {
  const { given = {}, env = {}, terminal = pipedInput(), required = false } = around;
  return readSecrets(operation, given, { env, terminal, required });
}

describe('gatherValues', () => {
  it('puts options, standard input and environment together', async () => {
    const given = await gather({ stdin: true, json: true, total: '5.00' }, 'city=Troy\ncvv2=999');
    expect(given).toEqual({ total: '5.00', city: 'Troy', cvv2: '999', creditCardNum: CARD });
  });

  it('reads standard input only when it is told to', async () => {
    expect(await gather({ total: '5.00' }, 'city=Troy', {})).toEqual({ total: '5.00' });
  });

  it('keeps an option that stands alone as true, for booleans', async () => {
    const sources = { env: {}, terminal: pipedInput() };
    expect(await gatherValues('createACHEFTCustomerCode', { recurring: true }, sources, true)).toEqual({
      recurring: true,
    });
  });

  it('refuses what is given twice, and an option in the place of a value', async () => {
    await expect(gather({ stdin: true, city: 'Troy' }, 'city=Salem')).rejects.toThrow(
      'Cannot use --city: standard input also gives it. Give it once.',
    );
    await expect(gather({ firstName: '--lastName' })).rejects.toThrow('Cannot use --firstName: its value is missing.');
  });

  it.each([
    ['without leave', {}, true],
    ['of a live account, leave or not', { allowSecretFlags: true as const }, false],
  ])('refuses secrets as options %s, names the three ways and does not repeat them', async (_what, more, isSandbox) => {
    const error: unknown = await gather({ creditCardNum: CARD, ...more }, '', {}, isSandbox).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'USAGE' });
    for (const way of ['--creditCardNum', 'PAYDROP_CREDIT_CARD_NUM', '--stdin', 'asked at a terminal'])
      expect(String(error)).toContain(way);
    expect(String(error)).not.toContain(CARD);
  });

  it('takes secrets as options of the sandbox with leave, and warns', async () => {
    const options = { creditCardNum: CARD, cvv2: '9173', allowSecretFlags: true } as const;
    const { result, out, err } = await takeDown(() => gather(options, '', {}));
    expect(result).toEqual({ creditCardNum: CARD, cvv2: '9173' });
    expect(out).toBe('');
    expect(err).toMatch(/^Warning: process lists and the shell history show --creditCardNum \(card number\), --cvv2/);
    expect(err).not.toMatch(new RegExp(`${CARD}|9173`));
  });

  it('asks for optional secrets, but not behind --yes', async () => {
    const operation = 'processCreditCardWithCustomerCode';
    const asked = fakeTerminal(['123']);
    expect(await gatherValues(operation, {}, { env: {}, terminal: asked }, true)).toEqual({ cvv2: '123' });
    const silent = fakeTerminal();
    expect(await gatherValues(operation, { yes: true }, { env: {}, terminal: silent }, true)).toEqual({});
    expect(silent.shown()).toBe('');
  });
});

describe('readSecrets', () => {
  it('takes those of the environment that the operation has', async () => {
    const env = { PAYDROP_CREDIT_CARD_NUM: CARD, PAYDROP_CVV2: '123', PAYDROP_ACCOUNT_NUM: '0210', cvv2: '999' };
    expect(await readSecretsOf('processCreditCard', { env })).toEqual({ creditCardNum: CARD, cvv2: '123' });
    expect(await readSecretsOf('getCustomerCodeDetail', { env })).toEqual({});
  });

  it('does not look for one that was given', async () => {
    const env = { PAYDROP_CREDIT_CARD_NUM: CARD, PAYDROP_CVV2: '123' };
    const terminal = fakeTerminal();
    expect(await readSecretsOf('processCreditCard', { given: { creditCardNum: 'x' }, env, terminal })).toEqual({
      cvv2: '123',
    });
    expect(terminal.shown()).toBe('');
  });

  it('asks for what the environment does not have, and hides the answer', async () => {
    const terminal = fakeTerminal([CARD]);
    const env = { PAYDROP_CVV2: '123' };
    expect(await readSecretsOf('processCreditCard', { env, terminal })).toEqual({ creditCardNum: CARD, cvv2: '123' });
    expect(terminal.shown()).toBe('creditCardNum: Card number (not shown): \n');
  });

  it('lets Enter leave out what is optional', async () => {
    const terminal = fakeTerminal(['']);
    expect(await readSecretsOf('processCreditCardWithCustomerCode', { terminal })).toEqual({});
    expect(terminal.shown()).toContain('Enter leaves it out');
  });

  it('asks for required ones only on request', async () => {
    const terminal = fakeTerminal([CARD]);
    expect(await readSecretsOf('createCustomerCodeAndProcessCreditCard', { terminal, required: true })).toEqual({
      ccNum: CARD,
    });
    expect(terminal.shown()).not.toContain('cvv2');
  });

  it('leaves out what nobody is there to answer', async () => {
    expect(await readSecretsOf('processCreditCard')).toEqual({});
  });
});

describe('readInput', () => {
  function read(text: string) {
    return readInput(pipedInput(text).input);
  }

  it.each([
    [
      'lines',
      `creditCardNum=${CARD}\n\ncomment = a=b \r\ncvv2=123`,
      { creditCardNum: CARD, comment: 'a=b', cvv2: '123' },
    ],
    ['an empty value', 'phone=\n', { phone: '' }],
    ['nothing', '', {}],
    ['JSON', ` {"creditCardNum": "${CARD}", "recurring": false}\n`, { creditCardNum: CARD, recurring: false }],
    ['JSON with a mark', '\ufeff{"cvv2":"123"}', { cvv2: '123' }],
  ])('reads %s', async (_what, text, given) => {
    expect(await read(text)).toEqual(given);
  });

  it.each([
    ['a line without a sign', `cvv2=123\n${CARD}`, 'line 2 is not name=value'],
    ['a name twice', `cvv2=123\ncvv2=${CARD}`, 'line 2 gives cvv2 a second time'],
    ['JSON that is cut', `{"creditCardNum": "${CARD}"`, 'it is not a JSON object'],
    ['a number, which would lose digits', `{"creditCardNum": ${CARD}}`, 'entry 1 of the object is neither text'],
    ['a list', `{"cvv2":"1","creditCardNum":["${CARD}"]}`, 'entry 2 of the object'],
  ])('refuses %s without repeating it', async (_what, text, reason) => {
    const error: unknown = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(reason) });
    expect(String(error)).not.toContain(CARD);
  });

  it('reads no terminal, which would show what is typed', async () => {
    await expect(readInput(fakeTerminal().input)).rejects.toThrow('it is a terminal');
  });
});

describe('toParameters', () => {
  it('reads each text by the kind of its field', async () => {
    const given = {
      recurring: 'false',
      updateAccountNum: true,
      beginDate: '2026-11-20',
      total: '-5.00',
      mop: 'VISA',
      cvv2: '012',
    };
    expect(await toParameters(given, 'America/New_York')).toEqual({
      recurring: false,
      updateAccountNum: true,
      beginDate: '2026-11-20T00:00:00-05:00',
      total: '-5.00',
      mop: 'VISA',
      cvv2: '012',
    });
  });

  it('hands on what it cannot read, for the check of the parameters', async () => {
    const given = { recurring: 'maybe', beginDate: 'soon', colour: 'red', constructor: 'x' };
    expect(await toParameters(given, 'UTC')).toEqual(given);
  });

  it('reads the batch file of a path', async () => {
    const path = join(await freshFolder(), 'monday.csv');
    const bytes = Buffer.concat([Buffer.from(cardRow(1)), Buffer.from([0xff, 0x0d])]);
    await writeFile(path, bytes);
    expect(await toParameters({ batchFile: path }, 'UTC')).toEqual({ batchFile: bytes });
  });

  it.each([
    ['', /it is a folder\. Check the path/],
    [`${CARD}.csv`, /there is no such file/],
    ['monday.csv/inside.csv', /it cannot be read \(ENOTDIR\)/],
  ])('says what is wrong with the path of a batch file, and hides a number in it (case %#)', async (name, message) => {
    const root = await freshFolder();
    await writeFile(join(root, 'monday.csv'), '');
    const thrown: unknown = await toParameters({ batchFile: join(root, name) }, 'UTC').catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'USAGE', message: expect.stringMatching(message) });
    expect(String(thrown)).not.toContain(CARD);
  });
});

const NEW_YORK = 'America/New_York';

describe('readMoment', () => {
  it.each([
    ['2026-11-20', NEW_YORK, '2026-11-20T00:00:00-05:00'],
    ['2026-06-15', NEW_YORK, '2026-06-15T00:00:00-04:00'],
    ['2026-06-15', 'UTC', '2026-06-15T00:00:00+00:00'],
    [' 2026-06-15 ', 'Europe/London', '2026-06-15T00:00:00+01:00'],
    ['2026-11-20T09:30:00-05:00', 'UTC', '2026-11-20T09:30:00-05:00'],
    ['2026-02-30', 'UTC', '2026-02-30'],
    ['tomorrow', 'UTC', 'tomorrow'],
  ])('%j in %s is %s', (text, timeZone, moment) => {
    expect(readMoment(text, timeZone)).toBe(moment);
  });
});

describe('readLastMoment', () => {
  it.each([
    ['2026-11-20', NEW_YORK, '2026-11-20T23:59:59.999-05:00'],
    // The day the clocks go back has 25 hours, and ends with a different offset than it begins.
    ['2026-11-01', NEW_YORK, '2026-11-01T23:59:59.999-05:00'],
    ['2026-03-08', NEW_YORK, '2026-03-08T23:59:59.999-04:00'],
    ['2026-12-31', 'UTC', '2026-12-31T23:59:59.999+00:00'],
    // This zone skipped the next day.
    ['2011-12-29', 'Pacific/Apia', '2011-12-29T23:59:59.999-10:00'],
    ['2026-11-20T09:30:00-05:00', 'UTC', '2026-11-20T09:30:00-05:00'],
    ['tomorrow', 'UTC', 'tomorrow'],
  ])('%j in %s ends at %s', (text, timeZone, moment) => {
    expect(readLastMoment(text, timeZone)).toBe(moment);
  });
});

it('hasPerson wants a person who sees the question and can answer it', () => {
  const person = fakeTerminal();
  const pipe = pipedInput();
  expect(hasPerson(person)).toBe(true);
  expect(hasPerson(pipe)).toBe(false);
  expect(hasPerson({ input: person.input, output: pipe.output })).toBe(false);
  expect(hasPerson({ input: pipe.input, output: person.output })).toBe(false);
});

it('systemTerminal asks on standard error, so that standard output stays data', () => {
  expect(systemTerminal()).toEqual({ input: process.stdin, output: process.stderr });
});

describe('ask', () => {
  it('shows the question and the answer', async () => {
    const terminal = fakeTerminal(['yes']);
    expect(await ask(terminal, 'Send it: ')).toBe('yes');
    expect(terminal.shown()).toContain('Send it: ');
    expect(terminal.shown()).toContain('yes');
  });

  it('shows nothing of a hidden answer, not even how long it is', async () => {
    const terminal = fakeTerminal([CARD]);
    expect(await ask(terminal, 'Number: ', true)).toBe(CARD);
    expect(terminal.shown()).toBe('Number: \n');
  });

  it('takes back what was deleted', async () => {
    const terminal = fakeTerminal(['4222\u007f\u007f11']);
    expect(await ask(terminal, 'Number: ', true)).toBe('4211');
  });

  it('asks several questions one after the other', async () => {
    const terminal = fakeTerminal([CARD, '123']);
    expect(await ask(terminal, 'Number: ', true)).toBe(CARD);
    expect(await ask(terminal, 'Code: ', true)).toBe('123');
    expect(terminal.shown()).toBe('Number: \nCode: \n');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s is no answer', async (_keys, typed) => {
    const terminal = fakeTerminal();
    const asked = ask(terminal, 'Number: ', true);
    terminal.input.write(typed);
    await expect(asked).rejects.toMatchObject({ code: 'USAGE', message: /not answered\. Nothing was sent\./ });
  });
});
