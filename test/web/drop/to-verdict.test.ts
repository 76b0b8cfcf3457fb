import { describe, expect, it } from 'vitest';
import { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Folder } from '../../../src/config/config.ts';
import type { Fault } from '../../../src/rows/rows.ts';
import { unreadCheck } from '../../../src/explain/validate/unread-check.ts';
import { type Looked, toVerdict } from '../../../src/web/drop/check-upload.ts';
import { CARD, upTo } from '../../support/payment-rows.ts';

const ACCOUNT = AccountConfig.parse({ server: 'NA', country: 'CA', currency: 'CAD', agentCode: 'A', password: 'P' });
const APP = {
  settings: { schedules: {} },
  clock: handClock('2026-06-15T10:00:00Z'),
  account: () => ACCOUNT,
} as unknown as App;

function folderWith(settings: object): Folder {
  const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation: 'card', ...settings });
  return { ...folder, id: 'drop', work: '-', routingCheck: false };
}

function looked(change: object): Looked {
  const { check } = unreadCheck({ code: 'EMPTY' }, { bytes: 3, sha256: 'ab' });
  const read = {
    ...check,
    layout: 'card-ca',
    records: 3,
    valid: { rows: 2, cents: 123_450 },
    invalid: { rows: 1 },
  } as const;
  return {
    check: read,
    decision: { verdict: 'accept' },
    faults: [],
    faultCount: 0,
    head: Buffer.from('06/15'),
    ...change,
  };
}

const verdictOf = (change: object, settings: object = {}, name = 'june.csv') =>
  toVerdict(APP, folderWith(settings), name, looked(change));

describe('toVerdict', () => {
  it('has the figures in the words and the money of the account', () => {
    expect(verdictOf({})).toMatchObject({
      verdict: 'accept',
      says: '1 row would be withheld, the others sent.',
      code: null,
      rows: { records: 3, valid: 2, withheld: 1, totalCents: 123_450, total: '1,234.50', currency: 'CAD' },
    });
  });

  it.each([
    ['hold', 'Would be held', 'CONTROL_FILE'],
    ['reject', 'Would be refused', 'EMPTY'],
  ] as const)('says why of a file to %s', (verdict, title, code) => {
    const decision = { verdict, code, reason: 'the reason', duplicateOf: 'f1' };
    expect(verdictOf({ decision })).toMatchObject({ verdict, title, says: 'The reason.', code, duplicateOf: 'f1' });
  });

  it('says what a refused file is that is no CSV, and how to make one', () => {
    const decision = { verdict: 'reject', code: 'CONTROL_CHARACTER', reason: 'the reason' };
    const head = Buffer.from('PK\x03\x04');
    expect(verdictOf({ decision, head }).says).toMatch(
      /^This is a ZIP archive or an Excel workbook\. .* The reason\.$/,
    );
    expect(verdictOf({ head }).says).not.toContain('ZIP');
  });

  it('takes what follows from a fault from the folder', () => {
    const faults: Fault[] = [
      { code: 'DUPLICATE_ROW', line: 4 },
      { code: 'NAME_SEEN_BEFORE', line: 0 },
    ];
    const effects = (settings: object) =>
      verdictOf({ faults, faultCount: 2 }, settings).faults.map(({ line, effect }) => [line, effect]);
    expect(effects({})).toEqual([
      [4, 'file held'],
      [null, 'note'],
    ]);
    expect(effects({ duplicateRows: 'warn' })[0]).toEqual([4, 'note']);
  });

  it('shows 200 faults and masks the name', () => {
    const faults = upTo(300).map((line): Fault => ({ code: 'AMOUNT_FORMAT', line }));
    const verdict = verdictOf({ faults, faultCount: 900 }, {}, `${CARD}.csv`);
    expect([verdict.faults.length, verdict.faultCount, verdict.name]).toEqual([200, 900, '************2220.csv']);
  });

  it('has no figures of a file that was not read', () => {
    const later: Looked = { decision: 'later', bytes: 9, sha256: 'cd', head: new Uint8Array() };
    const verdict = toVerdict(APP, folderWith({}), 'june.csv.pgp', later);
    expect(verdict).toMatchObject({ verdict: 'later', rows: null, bytes: 9, sha256: 'cd', faults: [] });
    expect(verdict.says).toContain('checked when they are dropped');
  });
});
