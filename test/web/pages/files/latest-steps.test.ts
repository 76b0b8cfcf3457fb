import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { AuditLink } from '../../../../src/ledger/overview/list-audit.ts';
import { LatestSteps, SHOWN_STEPS } from '../../../../src/web/pages/files/show-file.tsx';

const LINK: AuditLink = {
  seq: 1,
  at: new Date('2026-06-15T10:00:00Z'),
  actor: 'worker:submit',
  file_id: 'abc',
  batch_no: 3,
  move: 'send',
  from_state: 'preparing',
  to_state: 'in_progress',
  reason: 'attempt 1 begins',
  evidence: {},
};
const draw = (links: AuditLink[]) => renderToString(h(LatestSteps, { fileId: 'abc', links, timeZone: 'UTC' }));

describe('LatestSteps', () => {
  it('has the newest first: who, which batch, what and why', () => {
    const approve = {
      ...LINK,
      actor: 'operator:ada',
      batch_no: null,
      move: 'note',
      to_state: null,
      reason: '<i>ok</i>',
    };
    const html = draw([LINK, approve]);
    const text = html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/ada note &lt;i>ok&lt;\/i> .* paydrop 3 send: now in progress attempt 1 begins/);
    expect(html).toContain('<a href="/files/abc/batches/3">3</a>');
  });

  it('leads to all of them in the audit trail', () => {
    expect(draw([LINK])).toContain('href="/audit?file=abc"');
    expect(draw([LINK])).not.toContain('All steps');
    expect(draw(Array.from({ length: SHOWN_STEPS }, () => LINK))).toContain('All steps, in the audit trail');
  });
});
