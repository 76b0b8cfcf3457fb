import { describe, expect, it } from 'vitest';
import type { AuditLink } from '../../../../src/ledger/overview/list-audit.ts';
import { LinkTable } from '../../../../src/web/pages/audit.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';

const link: AuditLink = {
  seq: 7,
  at: new Date('2026-06-15T10:00:00Z'),
  actor: 'worker:submit',
  file_id: 'g7fhpaqs00000000',
  batch_no: 2,
  move: 'submit',
  from_state: 'sending',
  to_state: 'submitted',
  reason: 'answered',
  evidence: {},
};

function page(change: Partial<AuditLink> = {}): string {
  return draw(LinkTable, { links: [{ ...link, ...change }], timeZone: 'America/Toronto', isFiltered: false });
}

describe('LinkTable', () => {
  it('says who did what, when and why', () => {
    expect(wordsOf(page())).toContain(
      '7 2026-06-15 06:00:00 -04:00 worker:submit submit submitted g7fhpaqs00000000/2 answered',
    );
  });

  it.each([
    ['a batch', {}, 'href="/files/g7fhpaqs00000000/batches/2"'],
    ['a file', { batch_no: null }, 'href="/files/g7fhpaqs00000000"'],
    ['an account', { file_id: null, batch_no: null, evidence: { account: 'main' } }, '<td>main</td>'],
    ['all accounts', { file_id: null, batch_no: null, evidence: { account: '*' } }, '<td>all accounts</td>'],
  ] as [string, Partial<AuditLink>, string][])('leads to %s', (_what, change, expected) => {
    expect(page(change)).toContain(expected);
  });

  it('keeps the evidence folded, whatever is in it', () => {
    const html = page({ evidence: { host: '<b>x</b>', list: [1, { two: null }] } });
    expect(html).toContain('<summary>2 facts</summary>');
    expect(html).toContain('&lt;b>x&lt;/b>');
    expect(html).toContain('[1,{&quot;two&quot;:null}]');
    expect(page()).not.toContain('<details');
  });

  it.each([
    [true, 'Nothing fits.'],
    [false, 'Nothing has happened yet.'],
  ])('says what an empty table means (filtered: %s)', (isFiltered, says) => {
    expect(wordsOf(draw(LinkTable, { links: [], timeZone: 'UTC', isFiltered }))).toContain(says);
  });
});
