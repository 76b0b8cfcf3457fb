import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf, operationCommand } from '../../../src/cli/call/call.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { toParameters } from '../../../src/cli/call/to-parameters.ts';
import { checkParameters } from '../../../src/gateway/check-parameters.ts';
import { cardRow } from '../../support/payment-rows.ts';

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

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-example-'));
  await writeFile(join(root, 'monday.csv'), cardRow(1));
});
afterAll(() => rm(root, { recursive: true }));

const SECRETS: Record<string, string> = {
  creditCardNum: '4222222222222220',
  ccNum: '4222222222222220',
  accountNum: '02100002100000000000000001',
  cvv2: '123',
};

describe('exampleOf', () => {
  it.each(Object.keys(OPERATIONS) as OperationName[])('%s: the service would take it', async (operation) => {
    const line = exampleOf(operation);
    expect(line).toMatch(new RegExp(`^call ${operation} --account main( |$)`));
    const given = readWords(line.replace(/^call \w+ --account main ?/, '').replace(/ --mop VISA$/, ' --mop VISA'));
    const required: readonly string[] = OPERATIONS[operation].required;
    const hidden = Object.fromEntries(required.filter((name) => name in SECRETS).map((name) => [name, SECRETS[name]!]));
    // An operation without a `mop` parameter uses it only for the restriction check.
    if (!(OPERATIONS[operation].wire as readonly string[]).includes('mop')) delete given['mop'];
    const parameters = await toParameters(withFile({ ...given, ...hidden }), 'UTC');
    const checked = checkParameters({ operation, server: 'NA', parameters, now: new Date('2026-06-15T00:00:00Z') });
    expect(checked).toMatchObject({ kind: 'valid' });
  });

  it('holds no secret', () => {
    const lines = (Object.keys(OPERATIONS) as OperationName[]).map(exampleOf).join('\n');
    expect(lines).not.toMatch(/--(?:creditCardNum|ccNum|accountNum|cvv2)\b/);
  });
});

function withFile(given: Record<string, string>): Record<string, string> {
  return given['batchFile'] === undefined ? given : { ...given, batchFile: join(root, given['batchFile']) };
}

function readWords(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/--(\w+) ('[^']*'|\S+)/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replace(/^'|'$/g, '')]));
}
