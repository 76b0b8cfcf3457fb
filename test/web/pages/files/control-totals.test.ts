import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { ControlTotals } from '../../../../src/web/pages/files/show-file.tsx';

const draw = (totals: Parameters<typeof ControlTotals>[0]['totals']) => renderToString(h(ControlTotals, { totals }));

describe('ControlTotals', () => {
  it.each([
    ['agree', 'good'],
    ['differ', 'bad'],
    ['not yet', 'busy'],
    ['not needed', 'quiet'],
  ] as const)('says %s in words and by a colour', (state, tone) => {
    const html = draw([{ id: 'H3', state, says: '5 rows = 4 valid + 1 withheld' }]);
    expect(html).toContain(`<span class="state ${tone}">${state}</span>`);
    expect(html).toContain('5 rows = 4 valid + 1 withheld');
    expect(html).toContain('All rows, and those that are valid or withheld');
  });

  it('knows in words what each of the nine is about', () => {
    const ids = ['H0', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'H7', 'H8'];
    const html = draw(ids.map((id) => ({ id, state: 'agree' as const, says: 'x' })));
    expect(html).not.toContain('<td></td>');
  });

  it('says why a refused file has none', () => {
    expect(draw([])).toContain('nothing of it was sent');
  });
});
