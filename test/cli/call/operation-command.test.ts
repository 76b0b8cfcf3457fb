import { describe, expect, it } from 'vitest';
import { operationCommand } from '../../../src/cli/call/operation-command.ts';

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

  it('always wants an account', () => {
    expect(operationCommand('deleteCustomerCode').required?.map(([flags]) => flags)).toEqual(['--account <name>']);
  });
});
