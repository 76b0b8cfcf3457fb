import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { parameterNotes, parameterOptions } from '../../../src/cli/call/call.ts';
import { environmentName, parametersOf, secretsOf } from '../../../src/cli/call/parameters-of.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];

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
    const beside = groups[0]!.filter((name) => name === 'mop' && !required.some((other) => other === 'mop'));
    expect(groups).toEqual([[...required.filter(isPlain), ...beside], optional.filter(isPlain)]);
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

  it('takes the method of payment beside the parameters where the check is forced', () => {
    expect(typed('processCreditCardWithCustomerCode').groups[0]).toEqual(['customerCode', 'total', 'mop']);
    expect(typed('processACHEFTWithCustomerCode').groups[0]).toEqual(['customerCode', 'total']);
  });
});

describe('parameterNotes', () => {
  it('names each secret with its environment variable, and the other two ways', () => {
    const text = parameterNotes('processCreditCard').join('\n');
    for (const name of secretsOf('processCreditCard')) {
      expect(text).toMatch(new RegExp(`${name} +required +${environmentName(name)} `));
    }
    expect(text).toContain('--stdin');
    expect(text).toContain('asked for at the terminal');
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
