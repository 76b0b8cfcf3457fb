import { describe, expect, it } from 'vitest';
import type { HoldingBatch, Stop } from '../../../../src/ledger/account/read-holds.ts';
import { WhyItWaits } from '../../../../src/web/pages/accounts.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';

const since = new Date('2026-06-15T10:00:00Z');
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

function say(stops: Stop[], batches: HoldingBatch[] = []): string {
  return draw(WhyItWaits, { holds: { stops, batches }, timeZone: 'America/Toronto' });
}

describe('WhyItWaits', () => {
  it.each([
    [{}, 'paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait.', 'an approver resumes the account'],
    [{ kind: 'fault' }, 'It was stopped at', 'When the cause is fixed'],
    [{ kind: 'journal' }, 'The ledger may be older than what was sent.', 'href="/accounts/main#'],
    [{ account: '*' }, 'All accounts were paused', 'href="/accounts"'],
  ] as [Partial<Stop>, string, string][])('says who or what stopped it and how to go on: %j', (more, says, next) => {
    const html = say([{ ...stop, ...more }]);
    expect(wordsOf(html)).toContain(says);
    expect(html).toContain(next);
  });

  it.each([
    ['unknown', 'The service may have taken it.', 'href="/files/g7fhpaqs00000000/batches/2"'],
    ['refused', 'Nothing was charged.', 'href="/files/g7fhpaqs00000000/batches/2"'],
    ['sending', 'is being sent', 'Nothing is to be done.'],
  ] as const)('leads to a batch that is %s', (state, says, next) => {
    const html = say([], [{ ...batch, state }]);
    expect(wordsOf(html)).toContain(says);
    expect(html).toContain(next);
  });

  it('speaks of no command line, and says nothing when nothing holds', () => {
    expect(say([stop], [batch])).not.toContain('paydrop ');
    expect(say([])).toBe('');
  });
});
