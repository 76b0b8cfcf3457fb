import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TELLING_BYTES, tellKind } from '../../../src/csv/read/tell-kind.ts';
import { achRow, cardRow, codeRow, lines } from '../../support/payment-rows.ts';

const tar = Buffer.alloc(1_024);
tar.write('june.csv');
tar.write('ustar', 257);

function zip(firstName: string): Buffer {
  return Buffer.concat([Buffer.from('504b030414000600', 'hex'), Buffer.alloc(22), Buffer.from(firstName)]);
}

describe('tellKind', () => {
  it.each([
    ['an Excel workbook or other Office file (.xlsx)', zip('[Content_Types].xml')],
    ['an Excel workbook or other Office file (.xlsx)', zip('xl/workbook.xml')],
    ['an OpenDocument file (.ods)', zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')],
    ['a ZIP archive', zip('june.csv')],
    ['an Excel workbook or other Office file of the former kind (.xls)', Buffer.from('d0cf11e0a1b11ae10000', 'hex')],
    ['a gzip archive', gzipSync('a,b\n')],
    ['a bzip2 archive', Buffer.from('425a683931415926535900', 'hex')],
    ['an xz archive', Buffer.from('fd377a585a0000', 'hex')],
    ['a Zstandard archive', Buffer.from('28b52ffd0458210000', 'hex')],
    ['a 7-Zip archive', Buffer.from('377abcaf271c0004', 'hex')],
    ['a tar archive', tar],
    ['a PDF', Buffer.from('%PDF-1.7\n%')],
    ['an image', Buffer.from('89504e470d0a1a0a', 'hex')],
    ['an image', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['an HTML table or page', Buffer.from('\ufeff\r\n<TABLE border=1>\n<tr>')],
    ['an HTML table or page', Buffer.from('<!DOCTYPE html>\n')],
    ['an HTML table or page', Buffer.from('\ufeff<html>', 'utf16le')],
    ['an XML file', Buffer.from('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>')],
    ['a text of a word processor (.rtf)', Buffer.from('{\\rtf1\\ansi')],
    ['an encrypted message, whose name must end in .pgp, .gpg or .asc', Buffer.from('-----BEGIN PGP MESSAGE-----\n')],
  ])('knows %s', (is, head) => {
    expect(tellKind(head)).toBe(is);
  });

  it.each([
    '',
    lines([cardRow(1)]),
    'PK,1,2\n',
    'PK-1001,A1,5.00,\n',
    'BZh9001,A1,5.00,\n',
    '%PD',
    '%PDF-1.7,A1,5.00,\n',
    'GIF89a,A1,5.00,\n',
    'II*1,A1,5.00,\n',
    '<Ada>,A1,5.00,\n',
    'tabled,A1,5.00,\n',
    `${codeRow(1)}\n`.padEnd(257, 'x').concat('ustar,A1,5.00,\n'),
  ])('takes %j for a text', (text) => {
    expect(tellKind(Buffer.from(text))).toBeUndefined();
  });

  it('takes no file of payments for anything else, in any character set', () => {
    const ROW = fc.constantFrom(cardRow(1), achRow(2), codeRow(3), 'Invoice #,Customer Code,Amount,Comment');
    const UNIT = fc.constantFrom(...'PK%DFGIF89aBZh7z<>{}Iust ar-17éÿ½');
    const CELL = fc.string({ unit: UNIT, minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(
        CELL,
        fc.array(ROW, { minLength: 1 }),
        fc.constantFrom('utf8', 'latin1', 'utf16le'),
        (cell, rows, encoding) => {
          const text = lines([`${cell},${rows[0]}`, ...rows]);
          const mark = encoding === 'utf16le' ? '\ufeff' : '';
          expect(tellKind(Buffer.from(mark + text, encoding))).toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('looks at no more than the first bytes, and takes the samples for texts', async () => {
    expect(tellKind(Buffer.concat([Buffer.alloc(TELLING_BYTES, 'a'), tar]))).toBeUndefined();
    const folder = new URL('../../../samples/card/', import.meta.url);
    for (const name of await readdir(folder)) expect(tellKind(await readFile(new URL(name, folder)))).toBeUndefined();
  });
});
