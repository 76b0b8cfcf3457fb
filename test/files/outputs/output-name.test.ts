import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputName } from '../../../src/files/outputs/output-name.ts';

const FILE_ID = '1a2b3c4d5e6f7g8h';

describe('outputName', () => {
  it.each([
    ['monday.csv', 'monday__1a2b3c4d.result.csv'],
    ['Monday.CSV', 'Monday__1a2b3c4d.result.csv'],
    ['monday', 'monday__1a2b3c4d.result.csv'],
    ['monday.csv.pgp', 'monday__1a2b3c4d.result.csv'],
    ['monday.txt', 'monday.txt__1a2b3c4d.result.csv'],
    ['june.csv.csv', 'june.csv__1a2b3c4d.result.csv'],
    ['Zahlungen März.csv', 'Zahlungen März__1a2b3c4d.result.csv'],
    ['two\nlines.csv', 'two_lines__1a2b3c4d.result.csv'],
    ['..\\..\\evil.csv', '_.._.._evil__1a2b3c4d.result.csv'],
    ['../evil.csv', '_.._evil__1a2b3c4d.result.csv'],
    ['-rf.csv', '_-rf__1a2b3c4d.result.csv'],
    [' monday.csv', '_monday__1a2b3c4d.result.csv'],
    ['what?.csv', 'what___1a2b3c4d.result.csv'],
    ['half\ud83d.csv', 'half___1a2b3c4d.result.csv'],
    ['.csv', 'file__1a2b3c4d.result.csv'],
    ['', 'file__1a2b3c4d.result.csv'],
    [`${'x'.repeat(200)}.csv`, `${'x'.repeat(150)}__1a2b3c4d.result.csv`],
    [`${'x'.repeat(149)}ä.csv`, `${'x'.repeat(149)}__1a2b3c4d.result.csv`],
    ['💶'.repeat(60), `${'💶'.repeat(37)}__1a2b3c4d.result.csv`],
  ])('makes of %j the name %j', (original, name) => {
    expect(outputName(original, FILE_ID, 'result')).toBe(name);
  });

  it('takes the kind and the ending that it is given', () => {
    expect(outputName('monday.csv', FILE_ID, 'result.c01')).toBe('monday__1a2b3c4d.result.c01.csv');
    expect(outputName('monday.csv', FILE_ID, 'summary', 'json')).toBe('monday__1a2b3c4d.summary.json');
    expect(outputName('monday.csv', FILE_ID, 'summary', 'txt')).toBe('monday__1a2b3c4d.summary.txt');
  });

  it('is a plain, visible, short enough file name for any sender', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0x10ffff), { maxLength: 300 }).map((points) => String.fromCodePoint(...points)),
        (original) => {
          const name = outputName(original, FILE_ID, 'result.c01');
          expect(name).toMatch(/^[^.\-/\\\p{Cc}][^/\\\p{Cc}]*__1a2b3c4d\.result\.c01\.csv$/u);
          expect(Buffer.byteLength(name)).toBeLessThan(200);
          expect(Buffer.from(name).toString()).toBe(name);
        },
      ),
    );
  });
});
