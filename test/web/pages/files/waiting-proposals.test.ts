import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { WaitingProposals } from '../../../../src/web/pages/files/told-why.tsx';

it('WaitingProposals says who proposed what, with a link; nothing when nobody did', () => {
  const proposals = [{ proposal_no: 7, batch_no: 2, action: 'absolve', made_by: 'operator:ada' }];
  const html = renderToString(h(WaitingProposals, { proposals }));
  expect(html).toContain('ada proposed “absolve” for batch 2.');
  expect(html).toContain('<a href="/proposals">See proposal 7</a>');
  expect(renderToString(h(WaitingProposals, { proposals: [] }))).toBe('');
});
