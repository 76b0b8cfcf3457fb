import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { InDoubt } from '../../../../src/ledger/doubt/in-doubt.ts';
import { BatchDoubt } from '../../../../src/web/pages/files/batch-doubt.tsx';
import { ACCOUNT, CALLED_AT, foundDoubt } from '../../../cli/support/found-doubt.ts';

function draw(change: Partial<InDoubt> = {}, resolveWaitMs: number | undefined = ACCOUNT.resolveWaitMs): string {
  const now = new Date(CALLED_AT.getTime() + 7_500_000);
  const customs = { timeZone: 'America/Toronto', currency: 'USD' };
  return renderToString(h(BatchDoubt, { doubt: foundDoubt(change), now, resolveWaitMs, customs }));
}

describe('BatchDoubt', () => {
  it('says what is at stake, how long, from when it may be declared, and where to go on', () => {
    const html = draw();
    for (const text of [
      '75.00',
      '2 hours 5 minutes',
      '2026-06-16 06:00:00 -04:00',
      'the connection was reset',
      'href="/files/g7fhpaqs00000000/batches/2/resolve"',
    ])
      expect(html).toContain(text);
  });

  it('shows ids that were seen, the neighbours, and what reports said', () => {
    const html = draw({
      lateAnswers: [{ at: CALLED_AT, reason: '<i>late</i>', evidence: { batchId: '1002' } }],
      reports: [{ name: '<b>r.csv</b>', at: CALLED_AT, covers: false, newestAt: null, found: 2, absent: 1 }],
      before: { fileId: 'f', batchNo: 1, batchId: '1001', submittedAt: CALLED_AT },
    });
    for (const text of ['1001', '1002', '&lt;i>late', '&lt;b>r.csv', 'proves nothing']) expect(html).toContain(text);
  });

  it('leads nowhere while a proposal waits', () => {
    expect(draw({ proposal: { proposalNo: 7, action: 'absolve', madeBy: 'operator:ada' } })).not.toContain('/resolve');
  });
});
