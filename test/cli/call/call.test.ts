import { describe, expect, it } from 'vitest';
import { exampleOf, operationCommand, parameterNotes, parameterOptions } from '../../../src/cli/call/call.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { CARD } from '../../support/payment-rows.ts';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import {
  comparesCurrency,
  environmentName,
  isSecret,
  takesMopBeside,
  parametersOf,
  secretsOf,
} from '../../../src/cli/call/parameters-of.ts';
import { Config } from '../../../schemas/config.ts';
import { confirmCall, openAccount } from '../../../src/cli/call/make-call.ts';
import { type Account, resolveSettings } from '../../../src/config/config.ts';
import { fakeTerminal } from '../support/run-here.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];

function optionsOf(operation: Parameters<typeof operationCommand>[0]): string[] {
  return (operationCommand(operation).options ?? []).map(([flags]) => flags);
}

describe('operationCommand', () => {
  it('has the name of the spec, and that of the wire as a second spelling', () => {
    expect(operationCommand('processACHEFT')).toMatchObject({ name: 'processACHEFT', alias: 'ProcessACHEFT' });
  });

  it('says what is for North America only', () => {
    expect(operationCommand('processACHEFT').about).toMatch(/\(NA only\)$/);
    expect(operationCommand('processCreditCard').about).toBe('Charge a card with details supplied');
  });

  it('has the options that fit the operation', () => {
    expect(optionsOf('getCustomerCodeDetail')).toEqual(['--json', '--stdin']);
    expect(optionsOf('deleteCustomerCode')).toEqual(['--json', '--yes', '--stdin']);
    expect(optionsOf('getBatchProcessResultFile')).toEqual(['--json', '--stdin', '--out <path>']);
    expect(optionsOf('processCreditCard')).toEqual([
      '--json',
      '--yes',
      '--stdin',
      '--allow-secret-flags',
      '--currency <code>',
    ]);
  });

  it.each(NAMES)('%s: has --yes only where there is something to confirm', (operation) => {
    const flags = operationCommand(operation).options?.map(([flag]) => flag);
    expect(flags?.includes('--yes')).toBe(OPERATIONS[operation].effect !== 'read');
  });

  it('always wants an account', () => {
    expect(operationCommand('deleteCustomerCode').required?.map(([flags]) => flags)).toEqual(['--account <name>']);
  });
});

describe('exampleOf', () => {
  it('holds no secret', () => {
    expect(NAMES.map(exampleOf).join('\n')).not.toMatch(/--(?:creditCardNum|ccNum|accountNum|cvv2)\b/);
  });
});

function typed(operation: OperationName) {
  const { groups, hidden } = parameterOptions(operation);
  const namesIn = (options: readonly (readonly [string, string])[]) =>
    options.map(([flags]) => flags.replace(/^--(\w+) .*$/, '$1'));
  return { groups: groups.map(({ options }) => namesIn(options)), hidden: namesIn(hidden) };
}

describe('parameterOptions', () => {
  it.each(NAMES)('%s: exactly its parameters, the required ones in the first group, secrets hidden', (operation) => {
    const { required, optional } = parametersOf(operation);
    const secrets = secretsOf(operation);
    const { groups, hidden } = typed(operation);
    const isPlain = (name: string) => !secrets.some((secret) => secret === name);
    const beside = takesMopBeside(operation) ? ['mop'] : [];
    expect(groups).toEqual([required.filter(isPlain), [...optional.filter(isPlain), ...beside]]);
    expect(hidden).toEqual(secrets);
  });

  it('says what each field is, and the values it takes', () => {
    const options = parameterOptions('createACHEFTCustomerCode').groups.flatMap((group) => group.options);
    expect(options).toContainEqual(['--firstName <text>', FIELDS.firstName.about]);
    expect(options).toContainEqual([
      '--accountType <word>',
      'Kind of bank account (North America only): CHECKING, SAVING',
    ]);
    expect(options).toContainEqual(['--recurring [true|false]', FIELDS.recurring.about]);
    expect(options).toContainEqual(['--beginDate <time>', FIELDS.beginDate.about]);
    const [, mop] = parameterOptions('processCreditCard').groups[0]!.options.find(([flags]) => /mop/.test(flags))!;
    for (const value of FIELDS.mop.values) expect(mop).toContain(value);
  });

  it('takes the method of payment of a card beside the parameters where the operation has none', () => {
    expect(typed('processCreditCardWithCustomerCode').groups[0]).toEqual(['customerCode', 'total']);
    expect(typed('processCreditCardWithCustomerCode').groups[1]).toContain('mop');
    expect(typed('processACHEFTWithCustomerCode').groups[1]).not.toContain('mop');
  });
});

describe('parameterNotes', () => {
  it('names each secret with its environment variable, and the other two ways', () => {
    const text = parameterNotes('processCreditCard').join('\n');
    for (const name of secretsOf('processCreditCard')) {
      expect(text).toMatch(new RegExp(`${name} +required +${environmentName(name)} `));
    }
    expect(text).toContain('--stdin');
    expect(text).toContain('else from a hidden prompt');
    expect(parameterNotes('processCreditCardWithCustomerCode').join('\n')).toMatch(/cvv2 +optional/);
  });

  it('speaks of times only where there are some', () => {
    expect(parameterNotes('getCustomerListByCreationTimeXML').join()).toContain('time zone of the account');
    expect(parameterNotes('deleteCustomerCode')).toEqual([]);
  });

  it('fits a terminal', () => {
    const lines = NAMES.flatMap((operation) => parameterNotes(operation).join('\n').split('\n'));
    for (const line of lines.filter((text) => !text.startsWith('  '))) expect(line.length).toBeLessThanOrEqual(80);
  });
});

it.each(NAMES)('parametersOf has each parameter of %s once', (operation) => {
  const { required, optional } = parametersOf(operation);
  const row = OPERATIONS[operation];
  expect([...required, ...optional].sort()).toEqual([...row.required, ...row.optional, ...row.unstated].sort());
  expect(new Set([...required, ...optional]).size).toBe(required.length + optional.length);
  expect(required).toEqual(row.required);
});

describe('secretsOf', () => {
  it('names what must not be typed, required ones first', () => {
    expect(secretsOf('processCreditCard')).toEqual(['creditCardNum', 'cvv2']);
    expect(secretsOf('createCustomerCodeAndProcessCreditCard')).toEqual(['ccNum', 'cvv2']);
    expect(secretsOf('processACHEFT')).toEqual(['accountNum']);
    expect(secretsOf('getCustomerCodeDetail')).toEqual([]);
  });

  it('is every secret of the table but the batch file, of which the path is typed', () => {
    const secret = (Object.keys(FIELDS) as FieldName[]).filter((name) => 'secret' in FIELDS[name]);
    expect(secret.filter((name) => !isSecret(name))).toEqual(['batchFile']);
  });
});

it.each([
  ['creditCardNum', 'PAYDROP_CREDIT_CARD_NUM'],
  ['ccNum', 'PAYDROP_CC_NUM'],
  ['accountNum', 'PAYDROP_ACCOUNT_NUM'],
  ['cvv2', 'PAYDROP_CVV2'],
] as const)('environmentName of %s is %s', (name, variable) => {
  expect(environmentName(name)).toBe(variable);
});

describe('the restriction check', () => {
  it('takes a method of payment beside the parameters where a card is charged without it', () => {
    expect(NAMES.filter(takesMopBeside)).toEqual([
      'processCreditCardWithCustomerCode',
      'createCustomerCodeAndProcessCreditCard',
    ]);
  });

  it('compares the currency wherever a method of payment is known', () => {
    expect(NAMES.filter(comparesCurrency)).toEqual([
      'createCreditCardCustomerCode',
      'updateCreditCardCustomerCode',
      'processCreditCard',
      'processCreditCardWithCustomerCode',
      'createCustomerCodeAndProcessCreditCard',
    ]);
  });
});

const USUAL = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'hidden' };
const ACCOUNTS = {
  live: USUAL,
  near: { ...USUAL, baseUrl: 'http://127.0.0.1:8899' },
  host: { ...USUAL, baseUrl: 'http://localhost:8899/' },
  far: { ...USUAL, baseUrl: 'https://payments.example.com' },
};
const SETTINGS = resolveSettings(
  Config.parse({ accounts: ACCOUNTS, folders: [{ path: 'drop', account: 'live', operation: 'card' }] }),
  '/nowhere',
  {},
);

describe('openAccount', () => {
  it.each([
    ['live', false],
    ['far', false],
    ['near', true],
    ['host', true],
  ])('%s: calls stay on this machine: %s', (name, isSandbox) => {
    const opened = openAccount(SETTINGS, name);
    expect(opened.isSandbox).toBe(isSandbox);
    expect(opened.account.name).toBe(name);
    expect(opened.client.processCreditCard).toBeTypeOf('function');
  });

  it('names the accounts that there are', () => {
    expect(() => openAccount(SETTINGS, 'mian')).toThrow(
      'Cannot use account "mian": it is not in the configuration. There are: live, near, host, far.',
    );
  });
});

const ACCOUNT = { name: 'main', server: 'NA', currency: 'USD', password: 'hidden' } as Account;
const GIVEN = {
  total: '12345678.90',
  creditCardNum: CARD,
  cvv2: '9173',
  firstName: 'Ada',
  comment: `is ${CARD}`,
  odd: CARD,
};

describe('confirmCall', () => {
  it('says what will happen: operation, account, total and last four, and no more of the secrets', async () => {
    const terminal = fakeTerminal(['yes']);
    await confirmCall(terminal, 'processCreditCard', ACCOUNT, GIVEN);
    const shown = terminal.shown();
    expect(shown).toMatch(
      /^processCreditCard: Charge a card with details supplied\n {2}account +main \(NA, USD, live\)\n/,
    );
    expect(shown).toMatch(/total +12345678\.90\n/);
    expect(shown).toMatch(/creditCardNum +\*{12}2220\n/);
    expect(shown).toMatch(/cvv2 +\*{4}\n/);
    expect(shown).toMatch(/firstName +Ada\n/);
    expect(shown).toContain('Send it? Type yes: ');
    expect(shown).not.toMatch(new RegExp(`${CARD}|9173|hidden`));
  });

  it('shows the path of a batch file, and no currency where there is no total', async () => {
    const terminal = fakeTerminal(['yes']);
    await confirmCall(terminal, 'processCreditCardBatch', ACCOUNT, { batchFile: 'out/monday.csv' });
    expect(terminal.shown()).toMatch(/account +main \(NA, live\)\n +batchFile +out\/monday\.csv\n/);
  });

  it.each([' YES ', 'yes'])('takes %j', async (answer) => {
    await expect(confirmCall(fakeTerminal([answer]), 'deleteCustomerCode', ACCOUNT, {})).resolves.toBeUndefined();
  });

  it.each(['', 'y', 'no', 'yes please'])('does not take %j', async (answer) => {
    await expect(confirmCall(fakeTerminal([answer]), 'deleteCustomerCode', ACCOUNT, {})).rejects.toThrow(
      'Cannot call deleteCustomerCode on the live account "main": the answer was not yes. Nothing was sent.',
    );
  });
});
