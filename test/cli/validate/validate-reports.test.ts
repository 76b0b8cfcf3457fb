import type { Profile } from '../../../schemas/profiles.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER_CODES } from '../../../schemas/errors.ts';
import { jsonReport, textReport } from '../../../src/cli/validate/validate.ts';
import type { FileCheck } from '../../../src/csv/check/check-payment-file.ts';
import type { FileDecision } from '../../../src/ledger/file/decide-file.ts';
import type { EffectRules, Fault } from '../../../src/rows/rows.ts';
import { takeDown } from '../support/run-here.ts';
import { chooseRules } from '../../../src/cli/validate/choose-rules.ts';

describe('jsonReport', () => {
  const CHECK = { records: 1, faults: [{ code: 'EMPTY', line: 0 }], sha256: 'ab' } as unknown as FileCheck;

  it.each([
    ['no fault', []],
    ['one fault', [{ code: 'EMPTY', line: 0 }]],
    [
      'two faults',
      [
        { code: 'AMOUNT_ZERO', line: 1, column: 'amount', value: '"0"' },
        { code: 'EMPTY', line: 0 },
      ],
    ],
  ] as [string, Fault[]][])('is one JSON object with %s', async (_what, faults) => {
    const { out } = await takeDown(() => {
      const report = jsonReport();
      for (const fault of faults) report.fault(fault);
      report.end('a "b".csv', CHECK, { verdict: 'accept' });
    });
    expect(out.endsWith('}\n')).toBe(true);
    expect(JSON.parse(out)).toEqual({
      faults,
      file: 'a "b".csv',
      decision: { verdict: 'accept' },
      check: { records: 1, sha256: 'ab' },
      notChecked: [...LEDGER_CODES],
    });
  });
});

describe('textReport', () => {
  const EFFECTS: EffectRules = { duplicateRows: 'hold', sameTotals: 'hold', chargedBefore: 'hold' };
  const CHECK = { records: 3, valid: { rows: 2, cents: 5_000 }, invalid: { rows: 1 } } as FileCheck;

  async function printed(faults: readonly Fault[], decision: FileDecision, effects = EFFECTS): Promise<string[]> {
    const { out } = await takeDown(() => {
      const report = textReport(10, effects);
      for (const fault of faults) report.fault(fault);
      report.end('a.csv', CHECK, decision);
    });
    return out.split('\n');
  }

  it('has place, effect, reason, value, code and what to do, and leaves out what there is none of', async () => {
    const faults: Fault[] = [
      { code: 'AMOUNT_FORMAT', line: 3, column: 'amount', value: 'ten' },
      { code: 'LAST_LINE_OPEN', line: 0 },
      { code: 'TEXT_REPLACED', line: 4, detail: '3 commas' },
    ];
    expect((await printed(faults, { verdict: 'accept' })).slice(0, 3)).toEqual([
      expect.stringMatching(/^line 3, Amount: row withheld: [^[]+ \[ten\] \(AMOUNT_FORMAT\)\. Write digits/),
      expect.stringMatching(/^note: the last line has no line end \(LAST_LINE_OPEN\)\. Check/),
      expect.stringMatching(/^line 4: note: [^:]+: 3 commas \(TEXT_REPLACED\)\. No action/),
    ]);
  });

  it('says of a fault what follows from it under the verdict, as the notice does', async () => {
    const faults: Fault[] = [
      { code: 'AMOUNT_FORMAT', line: 1 },
      { code: 'WRONG_SIGN', line: 2 },
      { code: 'COLUMN_COUNT', line: 3 },
    ];
    const effects = async (decision: FileDecision, count: number) =>
      (await printed(faults.slice(0, count), decision)).slice(0, count).map((line) => line.split(': ')[1]);
    expect(await effects({ verdict: 'reject', code: 'COLUMN_COUNT', reason: 'why' }, 3)).toEqual([
      'refused with the file',
      'refused with the file',
      'file refused',
    ]);
    expect(await effects({ verdict: 'hold', code: 'WRONG_SIGN', reason: 'why' }, 2)).toEqual([
      'withheld if the file is approved',
      'file held',
    ]);
  });

  it.each([
    [{ duplicateRows: 'reject' }, 'DUPLICATE_ROW', 'file refused'],
    [{ duplicateRows: 'warn' }, 'DUPLICATE_ROW', 'note'],
    [{ misfits: 'refuse' }, 'NUMBER_FORMAT', 'file refused'],
    [{}, 'NUMBER_FORMAT', 'file held'],
  ] as const)('says what folder and profile make of a fault: %j, %s', async (settings, code, words) => {
    const decision = { verdict: 'hold', code: 'WRONG_SIGN', reason: 'why' } as const;
    const [line] = await printed([{ code, line: 2 }], decision, { ...EFFECTS, ...settings });
    expect(line).toMatch(new RegExp(`^line 2: ${words}: `));
  });

  it('stops printing faults at the limit and counts on', async () => {
    const { out } = await takeDown(() => {
      const report = textReport(1, EFFECTS);
      for (const line of [1, 2, 3]) report.fault({ code: 'AMOUNT_ZERO', line });
      report.end('a.csv', CHECK, { verdict: 'accept' });
    });
    expect(out.split('\n').slice(1)).toEqual([
      '… and 2 more; --max-faults or --json shows them',
      'a.csv: ACCEPTED. 3 rows, 2 valid with a total of 50.00, 1 withheld.',
      expect.stringContaining(LEDGER_CODES.join(', ')),
      '',
    ]);
  });

  it.each([
    [{ verdict: 'accept' }, 'a.csv: ACCEPTED. 3 rows'],
    [{ verdict: 'hold', code: 'WRONG_SIGN', reason: 'why' }, 'a.csv: HELD (WRONG_SIGN): why. 3 rows'],
    [{ verdict: 'reject', code: 'EMPTY', reason: 'why' }, 'a.csv: REJECTED (EMPTY): why. 3 rows'],
  ] as const)('ends with the verdict: %j', async (decision, words) => {
    const { out } = await takeDown(() => textReport(1, EFFECTS).end('a.csv', CHECK, decision));
    expect(out.startsWith(words)).toBe(true);
  });
});

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
  { path: 'drop/dues', account: 'us', operation: 'card', profile: 'dues' },
  { path: 'drop/card', account: 'us', operation: 'card', finalNewline: 'hold' },
  { path: 'drop/uk', account: 'uk', operation: 'card' },
  { path: 'drop/ach', account: 'us', operation: 'ach-charge', limits: { rowAmount: 5 } },
];

let root = '';
let bare = '';

describe('chooseRules', () => {
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

  it('takes a folder that reads by a profile where one is given', () => {
    expect(chooseRules('card', undefined, root, {} as Profile)).toMatchObject({ folder: { id: 'drop/dues' } });
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
    ['cash', undefined, 'USAGE', 'it must be one of card, ach-charge, ach-refund'],
    ['constructor', undefined, 'USAGE', 'it must be one of card'],
    ['ach-refund', undefined, 'USAGE', 'no folder takes ach-refund. Give --account with one of us, uk, spare.'],
    ['card', 'nobody', 'USAGE', 'there is no account "nobody". Give --account with one of us, uk, spare.'],
    ['ach-charge', 'uk', 'RESTRICTED', 'Cannot validate as "ach-charge"'],
  ])('%s of account %s is refused with %s', (operation, account, code, words) => {
    expect(() => chooseRules(operation, account, root)).toThrow(expect.objectContaining({ code }));
    expect(() => chooseRules(operation, account, root)).toThrow(words);
  });
});
