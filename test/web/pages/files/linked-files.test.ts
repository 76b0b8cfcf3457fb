import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { LinkedFile } from '../../../../src/ledger/file/linked-files.ts';
import { LinkedFiles } from '../../../../src/web/pages/files/show-file.tsx';

const AT = new Date('2026-06-15T10:00:00Z');
const draw = (files: LinkedFile[]) => renderToString(h(LinkedFiles, { files, timeZone: 'UTC' }));

describe('LinkedFiles', () => {
  it.each([
    ['made_from', 'This file was made of rows of'],
    ['resubmitted_as', 'Rows of this file were resubmitted as'],
    ['duplicate_of', 'This file has the content of'],
    ['repeated_by', 'The same content came again as'],
  ] as const)('says %s in words, with a link', (kind, words) => {
    const html = draw([{ kind, fileId: 'abc', name: 'x.csv', state: 'completed', at: AT, rows: 1_200 }]);
    expect(html).toContain(words);
    expect(html).toContain('<a href="/files/abc">x.csv</a>');
    expect(html).toContain('1,200');
  });

  it('has no link to a file that has not come back yet', () => {
    const html = draw([{ kind: 'resubmitted_as', fileId: null, name: 'x.csv', state: null, at: AT, rows: null }]);
    expect(html).not.toContain('<a ');
    expect(html).toContain('has not come through its folder yet');
    expect(draw([])).toContain('None.');
  });
});
