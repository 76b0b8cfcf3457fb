import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyBytes, loosenAccount, loosenText } from '../../../src/crypto/fingerprints/loosen.ts';

type Loosen = typeof loosenText;

function loose(loosen: Loosen, text: string): string {
  const bytes = Buffer.from(`<${text}>`);
  const to = Buffer.alloc(bytes.length, '#');
  const end = loosen(bytes, 1, bytes.length - 1, to, 1);
  expect(to.toString('latin1', 0, 1) + to.toString('latin1', Math.max(end, 1)).replaceAll('#', '')).toBe('#');
  return to.toString('utf8', 1, end);
}

describe('loosenText', () => {
  it.each([
    ['DUP-00001', 'dup1'],
    ['0001', '1'],
    ['Inv 0012/00', 'inv120'],
    ['INV-100', 'inv100'],
    ['1-001', '11'],
    ['000', '0'],
    ['A0B', 'a0b'],
    ['00A0B', 'a0b'],
    ['0-0', '0'],
    ['0\u00c4', 'a'],
    ['---', '---'],
    ['', ''],
    ['\u00c4b-01', 'ab1'],
    ['A\u0308b-01', 'ab1'],
    ['\u00c3\u201eb-01', 'ab1'],
    ['STRA\u00dfE 1', 'strasse1'],
    ['STRA\u1e9eE 1', 'strasse1'],
    ['\u0130NV\u034f\ufe0f\u3164\u200c1', 'inv1'],
    ['A\u20111\u00a0\u28002', 'a12'],
    ['\u0661\u0662', '12'],
    ['\uff21\uff11', 'a1'],
    ['\u0421\u0410\u0412-1', 'cab1'],
    ['\u03a4\u0391\u03a7', 'tax'],
    ['\u0416\u03a9', '\u0436\u03c9'],
  ])('leaves of %j %j', (text, left) => {
    expect(loose(loosenText, text)).toBe(left);
  });

  it('does to ASCII what it does to other letters', () => {
    const ascii = fc.string({ unit: fc.constantFrom('A', 'b', '0', '0', '7', '-', ' ', "'"), maxLength: 12 });
    fc.assert(
      fc.property(ascii, (text) => {
        const wide = loose(loosenText, `${text}\u0436`);
        const narrow = loose(loosenText, text);
        // A text without letters or non-zero digits keeps nothing before the added letter.
        if (/[a-z1-9]/i.test(text)) expect(wide).toBe(`${narrow}\u0436`);
      }),
    );
  });

  it('leaves the same of what it has left, and never more than there was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const once = loose(loosenText, text);
        expect(Buffer.byteLength(once)).toBeLessThanOrEqual(Buffer.byteLength(text));
        expect(loose(loosenText, once.replaceAll('-', '')).length).toBeLessThanOrEqual(once.length);
      }),
    );
  });
});

describe('loosenAccount', () => {
  it.each([
    ['02100002100000000040000001', '2121401'],
    ['02100002140000001', '2121401'],
    ['2100002140000001', '2121401'],
    ['0004000', '400'],
    ['4000', '400'],
    ['0000', '00'],
    ['0', '0'],
    ['0210000210', '21210'],
  ])('leaves of %s %s', (digits, left) => {
    expect(loose(loosenAccount, digits)).toBe(left);
  });
});

describe('copyBytes', () => {
  it('leaves everything', () => {
    expect(loose(copyBytes, '0 a-\u00e4')).toBe('0 a-\u00e4');
  });
});
