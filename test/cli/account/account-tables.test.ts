import type { AccountComparison } from '../../../src/actions/resolve/reconcile-account.ts';
import { describe, expect, it } from 'vitest';
import { accountTable, comparisonText, forgottenTable } from '../../../src/cli/account/account-tables.ts';
import type { AccountState, ForgottenSend, HoldingBatch, Stop } from '../../../src/ledger/account/read-holds.ts';

const since = new Date('2026-06-15T10:00:00Z');
const quiet: AccountState = { account: 'main', ready: 2, onTheirWay: 1, forgotten: 0, stops: [], batches: [] };
const stop: Stop = { account: 'main', kind: 'pause', reason: 'wait', actor: 'operator:ada', since };
const batch: HoldingBatch = {
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  batchNo: 2,
  state: 'unknown',
  rows: 3,
  cents: 7_500,
  since,
  reason: null,
};

const lineOf = (state: AccountState) => accountTable([state], () => 'UTC').split('\n')[2];

describe('accountTable', () => {
  it.each([
    ['sends', {}],
    ['sends', { batches: [{ ...batch, state: 'sending' }] }],
    ['paused', { stops: [stop] }],
    ['stopped', { stops: [stop, { ...stop, kind: 'journal' }] }],
    ['stopped', { stops: [{ ...stop, kind: 'fault' }] }],
    ['in doubt', { batches: [batch] }],
    ['refused', { batches: [{ ...batch, state: 'refused' }] }],
  ] as [string, Partial<AccountState>][])('says in a word: %s', (word, more) => {
    expect(lineOf({ ...quiet, ...more })).toMatch(new RegExp(`^main +${word} +2 +1`));
  });

  it('counts the money in doubt, and says below what holds whom', () => {
    const text = accountTable(
      [{ ...quiet, batches: [batch, { ...batch, batchNo: 3 }], stops: [stop], forgotten: 4 }],
      () => 'UTC',
    );
    expect(text.split('\n')[2]).toMatch(/6 rows, 150\.00 +4$/);
    expect(text.split('\n').filter((line) => line.startsWith('main: '))).toHaveLength(3);
    expect(accountTable([quiet], () => 'UTC')).not.toContain('main: ');
  });
});

describe('forgottenTable', () => {
  const send: ForgottenSend = {
    fileId: 'g7fhpaqs00000000',
    batchNo: 1,
    attempt: 2,
    sha256: 'ab'.repeat(32),
    at: since,
    since,
    batchState: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    batchId: null,
  };

  it('lists each call with what the ledger says of it, who has looked, and what to do', () => {
    const looked = {
      ...send,
      batchState: 'reconciled',
      acknowledgedAt: since,
      acknowledgedBy: 'operator:ada',
    } as const;
    const text = forgottenTable('main', [send, looked], 'America/Toronto');
    expect(text).toMatch(/2026-06-15 06:00:00 -04:00 +g7fhpaqs00000000\/1 +2 +not known +abab/);
    expect(text).toMatch(/reconciled +operator:ada 2026-06-15 06:00:00 -04:00/);
    expect(text).toContain('paydrop account acknowledge main --reason');
    expect(forgottenTable('main', [{ ...send, batchId: '1004' }], 'UTC')).toContain('batch id 1004');
  });

  it('says when there is none', () => {
    expect(forgottenTable('main', [], 'UTC')).toBe(
      'The ledger has every call of this account that the send journal has.',
    );
  });
});

describe('comparisonText', () => {
  const line = {
    transactionId: 'A1',
    invoice: 'LOST-1',
    amountCents: 750,
    lastFour: '0001',
    at: { text: '', utc: since.toISOString() },
  };
  const found: AccountComparison = {
    sha256: 'ab',
    from: since,
    to: since,
    charged: 61,
    known: 1,
    unknown: Array.from({ length: 60 }, () => line),
    inDoubt: [{ fileId: 'f', batchNo: 1, name: 'june.csv', rows: 3, shown: 2 }],
    calls: { forgotten: 4, outside: 1 },
  };

  it('says what the report shows, what is in doubt now, and what to do', () => {
    const text = comparisonText('main', found, 'America/Toronto');
    expect(text).toContain(
      'from 2026-06-15 06:00:00 -04:00 to 2026-06-15 06:00:00 -04:00: 61, of which the ledger sent 1.',
    );
    expect(text).toContain('not yet acknowledged: 4; 1 call outside that time.');
    expect(text).toContain('batch 1 of june.csv, of which the report shows 2 of 3 rows');
    expect(text).toContain('not in the ledger: 60 payments, 450.00.');
    expect(text).toMatch(/-04:00 +LOST-1 +7\.50 +0001 +A1\n/);
    expect(text.match(/LOST-1/g)).toHaveLength(50);
    expect(text).toContain('And 10 more');
    expect(text).toContain('paydrop account acknowledge main');
  });

  it('says so when nothing is unknown, and when the report shows nothing', () => {
    expect(comparisonText('main', { ...found, unknown: [] }, 'UTC')).toContain(
      'The ledger knows every charged payment in it.',
    );
    expect(comparisonText('main', { ...found, from: null, to: null }, 'UTC')).toContain('it proves nothing');
  });
});
