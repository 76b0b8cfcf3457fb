import { describe, expect, it } from 'vitest';
import { accountTable, forgottenTable } from '../../../src/cli/account/account-tables.ts';
import type { AccountState, ForgottenSend, HoldingBatch, Stop } from '../../../src/ledger/queries/read-holds.ts';

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
      'The ledger knows every call of this account that the send journal knows.',
    );
  });
});
