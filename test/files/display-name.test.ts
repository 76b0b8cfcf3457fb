import { describe, expect, it } from 'vitest';
import { displayName } from '../../src/files/display-name.ts';

describe('displayName', () => {
  it.each([
    ['monday.csv', 'monday.csv'],
    ['Zahlungen März.csv', 'Zahlungen März.csv'],
    ['💶.csv', '💶.csv'],
    ['two\nlines.csv', 'two_lines.csv'],
    ['tab\tnul\0.csv', 'tab_nul_.csv'],
    ['c1\u0085.csv', 'c1_.csv'],
    ['..\\evil.csv', '.._evil.csv'],
    ['a/b.csv', 'a_b.csv'],
    ['vsc\u202egnp.csv', 'vsc_gnp.csv'],
    ['line\u2028separator.csv', 'line_separator.csv'],
    [Buffer.from('caf\xe9.csv', 'latin1'), 'caf\ufffd.csv'],
    [Buffer.from('märz.csv'), 'märz.csv'],
  ])('shows %j as %j', (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });
});
