import { describe, expect, it } from 'vitest';
import { textTable } from '../../../src/cli/print/table.ts';

describe('textTable', () => {
  it('is as wide as the widest cells, with numbers to the right and no spaces at line ends', () => {
    const rows = [
      ['a.csv', '5', 'ok'],
      ['a longer name.csv', '1200', ''],
    ];
    expect(textTable(['File', 'Rows', 'Why'], rows, [1]).split('\n')).toEqual([
      'File               Rows  Why',
      '-----------------  ----  ---',
      'a.csv                 5  ok',
      'a longer name.csv  1200',
    ]);
  });

  it('counts characters, not code units', () => {
    const lines = textTable(
      ['Name', 'N'],
      [
        ['😀😀😀😀', '1'],
        ['abcd', '2'],
      ],
    ).split('\n');
    expect(lines.slice(2)).toEqual(['😀😀😀😀  1', 'abcd  2']);
  });

  it('is its head alone without rows', () => {
    expect(textTable(['A', 'B'], [])).toBe('A  B\n-  -');
  });
});
