import { describe, expect, it } from 'vitest';
import { readBatchFile } from '../../../src/sandbox/batch/read-batch-file.ts';

describe('readBatchFile', () => {
  it.each([
    ['line feeds, none at the end', 'a,b\nc', [['a', 'b'], ['c']]],
    ['CRLF and one at the end', 'a,b\r\nc\r\n', [['a', 'b'], ['c']]],
    ['blank lines', '\n \na\n\n\nb\n', [['a'], ['b']]],
    ['quotes, which mean nothing', '"a,b",c', [['"a', 'b"', 'c']]],
    ['empty cells', ',,', [['', '', '']]],
    ['nothing', '', []],
  ])('splits %s', (_, text, rows) => {
    expect(readBatchFile(Buffer.from(text))).toEqual({ rows, charset: 'utf8' });
  });

  it.each([
    ['UTF-8', Buffer.from('Zoë,\u{1F600}'), 'utf8'],
    ['UTF-8 with a mark', Buffer.from('\uFEFFa'), 'utf8'],
    ['bytes of another charset', Buffer.from([0x5a, 0x6f, 0xeb, 0x2c, 0x81]), 'latin1'],
  ])('gives back the very bytes of %s', (_, bytes, charset) => {
    const file = readBatchFile(bytes);
    expect(file.charset).toBe(charset);
    expect(Buffer.from(file.rows.map((cells) => cells.join(',')).join('\n'), file.charset)).toEqual(bytes);
  });
});
