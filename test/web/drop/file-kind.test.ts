import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TELLING_BYTES, tellKind } from '../../../src/web/drop/check-upload.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';

const tar = Buffer.alloc(512);
tar.write('june.csv');
tar.write('ustar', 257);

describe('tellKind', () => {
  it.each([
    ['a ZIP archive or an Excel workbook', Buffer.from('504b030414000000', 'hex')],
    ['a gzip archive', gzipSync('a,b\n')],
    ['a tar archive', tar.subarray(0, TELLING_BYTES)],
    ['an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['an encrypted message', Buffer.from('-----BEGIN PGP MESSAGE-----\n')],
  ])('knows %s', (is, head) => {
    expect(tellKind(head)).toEqual({ is, advice: expect.stringMatching(/, and choose that\.$/) });
  });

  it.each(['', lines([cardRow(1)]), 'PK,1,2\n', 'BZ,1\n', '%PD'])('takes %j for nothing else', (text) => {
    expect(tellKind(Buffer.from(text))).toBeUndefined();
  });
});
