import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseRules } from '../../../src/cli/validate/choose-rules.ts';

const US = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
const UK = { server: 'UK', country: 'UK', currency: 'GBP', agentCode: 'A', password: 'P' };
const SPARE = {
  ...US,
  country: 'CA',
  currency: 'CAD',
  limits: { rowAmount: 100, fileRows: 7 },
  secondPerson: { refunds: true },
};
const FOLDERS = [
  { path: 'drop/card', account: 'us', operation: 'card', finalNewline: 'hold' },
  { path: 'drop/uk', account: 'uk', operation: 'card' },
  { path: 'drop/ach', account: 'us', operation: 'ach-charge', limits: { rowAmount: 5 } },
];

let root = '';
let bare = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-rules-'));
  bare = await mkdtemp(join(tmpdir(), 'paydrop-rules-'));
  const config = { accounts: { us: US, uk: UK, spare: SPARE }, folders: FOLDERS };
  await writeFile(join(root, 'paydrop.yaml'), JSON.stringify(config));
});
afterAll(async () => {
  await rm(root, { recursive: true });
  await rm(bare, { recursive: true });
});

describe('chooseRules', () => {
  it('takes a US account in dollars where there is no configuration', () => {
    expect(chooseRules('card', undefined, bare)).toMatchObject({
      operation: 'card',
      account: { server: 'NA', country: 'US', currency: 'USD' },
      folder: { finalNewline: 'warn' },
      today: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });

  it.each([
    ['card', undefined, { account: { name: 'us' }, folder: { id: 'drop/card', finalNewline: 'hold' } }],
    ['card', 'uk', { account: { name: 'uk' }, folder: { id: 'drop/uk', finalNewline: 'warn' } }],
    ['ach-charge', undefined, { account: { name: 'us' }, folder: { id: 'drop/ach' } }],
    // The account has no folder for this operation: its own country, with a folder's defaults.
    ['ach-refund', 'spare', { account: { name: 'spare', country: 'CA' }, folder: { finalNewline: 'warn' } }],
  ])('%s of account %s takes the rules of its folder', (operation, account, rules) => {
    expect(chooseRules(operation, account, root)).toMatchObject(rules);
  });

  it('has the limits of account and folder, and knows which files wait for approval', () => {
    expect(chooseRules('ach-charge', 'spare', root)).toMatchObject({
      largestRowCents: 10_000,
      limits: { fileRows: 7, fileCents: undefined },
      approvalDue: false,
    });
    expect(chooseRules('ach-refund', 'spare', root)).toMatchObject({ approvalDue: true });
    expect(chooseRules('ach-charge', 'us', root)).toMatchObject({ largestRowCents: 500, approvalDue: false });
    expect(chooseRules('card', undefined, bare)).toMatchObject({ limits: { fileRows: undefined }, approvalDue: false });
  });

  it.each([
    ['cash', undefined, 'USAGE', 'it is none of card, ach-charge, ach-refund'],
    ['constructor', undefined, 'USAGE', 'it is none of card'],
    ['ach-refund', undefined, 'USAGE', 'no folder takes ach-refund. Give --account with one of us, uk, spare.'],
    ['card', 'nobody', 'USAGE', 'there is no account "nobody". Give --account with one of us, uk, spare.'],
    ['ach-charge', 'uk', 'RESTRICTED', 'Cannot validate as "ach-charge"'],
  ])('%s of account %s is refused with %s', (operation, account, code, words) => {
    expect(() => chooseRules(operation, account, root)).toThrow(expect.objectContaining({ code }));
    expect(() => chooseRules(operation, account, root)).toThrow(words);
  });
});
