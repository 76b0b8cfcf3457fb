import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyBytes, loosenAccount, loosenText } from '../../../src/crypto/fingerprints/loosen.ts';
import { loosenJoined, loosenTurned, ROOM_FOR_TURNED } from '../../../src/crypto/fingerprints/turned-text.ts';
import { MAC_BYTES, ManyMacs } from '../../../src/crypto/fingerprints/many-macs.ts';

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

function apply(loosen: typeof loosenText, text: string): string | undefined {
  const bytes = Buffer.from(`<${text}>`);
  const to = Buffer.alloc(bytes.length + ROOM_FOR_TURNED);
  const end = loosen(bytes, 1, bytes.length - 1, to, 1);
  return end < 0 ? undefined : to.toString('utf8', 1, end);
}

/** Returns all normal forms of a text; two texts match when they share one. */
const formsOf = (text: string) =>
  [apply(loosenText, text), apply(loosenTurned, text), apply(loosenJoined, text)].filter((form) => form !== undefined);

describe('loosenTurned', () => {
  it.each([
    ['1.50', '1.5'],
    ['5.0', '5'],
    ['.5', '0.5'],
    ['$5.50', '$5.5'],
    ['50.50%', '50.5%'],
    ['12E4', '120000'],
    ['1e3', '1000'],
    ['1234567890123456', '1234567890123460'],
    ['25:30', '25:30:00'],
    ['14:27:00', '02:27:00 PM'],
    ['0:31', '12:31:00 AM'],
    ['9:05:07', '09:05:07 AM'],
    ['2026-11-20', '11/20/2026'],
    ['2026-11-20', '11/20/26'],
    ['20.11.2026', '11/20/2026'],
    ['1-2-3', '1/2/2003'],
    ['2026-11-20 10:30', '11/20/2026 10:30'],
  ])('knows %j again in %j, which a spreadsheet makes of it', (text, turned) => {
    expect(formsOf(text).some((form) => formsOf(turned).includes(form))).toBe(true);
  });

  it.each([
    ['1.50', '1.51'],
    ['12E4', '12E5'],
    ['9:05', '9:05 PM'],
    ['9:05', '9:05:01'],
    ['2026-11-20', '2026-11-21'],
    ['2026-11-20', '2026-10-20'],
    ['2026-11-20 10:30', '2026-11-20 10:31'],
  ])('tells %j and %j apart', (text, other) => {
    expect(formsOf(text).some((form) => formsOf(other).includes(form))).toBe(false);
  });

  it.each(['INV-1', '0012', '12345', '2026-0001', '1E400', '1E-5', 'A1.50', '', '-', '\u0661.50'])(
    'has nothing of %j, which stays as it is',
    (text) => {
      expect(apply(loosenTurned, text)).toBeUndefined();
    },
  );

  it('takes anything, and needs no more room than it says', () => {
    const some = fc.string({ unit: fc.constantFrom(...'0123456789eE.:/- +$APM\u00e9'), maxLength: 45 });
    fc.assert(
      fc.property(some, (text) => {
        const left = apply(loosenTurned, text) ?? '';
        expect(Buffer.byteLength(left)).toBeLessThanOrEqual(Buffer.byteLength(text) + ROOM_FOR_TURNED);
        expect(left).toMatch(/^[\x20-\x7e]*$/);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('loosenJoined', () => {
  it.each([
    ['2026-0012', '20260012'],
    ['2026\u20130012', '20260012'],
    ['2026-11-03', '20261103'],
    ['1307.00', '130700'],
    ['1001', '1.001'],
    ['1001', '1\u202f001'],
    ['100000000010405566', '100.000.000.010.405.566'],
    ['100000000010405866', '100000000010405000'],
    ['100000000010405866', '100000000010406000'],
    ['\u00c9-1015', '\u00c9\u20131015'],
  ])('knows %j again in %j', (text, written) => {
    expect(formsOf(text).some((form) => formsOf(written).includes(form))).toBe(true);
  });

  it.each([
    ['2026-0012', '2026-0013'],
    ['2026-0012', '202612'],
    ['1001', '1.01'],
    ['100000000010405566', '100000000010404000'],
  ])('tells %j and %j apart', (text, other) => {
    expect(apply(loosenJoined, text) ?? apply(loosenText, text)).not.toBe(
      apply(loosenJoined, other) ?? apply(loosenText, other),
    );
  });

  it.each([
    'INV-0012',
    'A-001/B',
    'INV2026-0012',
    '20260012',
    '1-1',
    '123456789012345',
    '',
    '-',
    '\u2013',
    '0',
    'caf\u00e9',
  ])('has nothing of %j, of which the same is left already', (text) => {
    expect(apply(loosenJoined, text)).toBeUndefined();
  });

  it('leaves the same of a text with and without its signs', () => {
    const some = fc.string({ unit: fc.constantFrom(...'0012-/. \u00e9\u2013'), maxLength: 12 });
    fc.assert(
      fc.property(some, (text) => {
        const plain = text.replaceAll(/[^\p{L}\p{N}]/gu, '');
        if (plain !== '') expect(formsOf(text)).toContain(apply(loosenText, plain));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Examples for AES-256 from NIST SP 800-38B. */
const KEY = Buffer.from('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', 'hex');
const TEXT = Buffer.from(
  '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51' +
    '30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710',
  'hex',
);
const EXAMPLES = [
  [0, '028962f61b7bf89efc6b551f4667d983'],
  [16, '28a7023f452e8f82bd4bf28d8c37c35c'],
  [40, 'aaf3d8f1de5640c232f5b169b9c911e6'],
  [64, 'e1992190549f6ed5696a2c056c315410'],
] as const;

function macsOf(messages: readonly Uint8Array[], key = KEY): string[] {
  const macs = new ManyMacs(key);
  for (const message of messages) {
    macs.addBytes(message, 0, message.length);
    macs.end();
  }
  return inHex(macs.take());
}

const inHex = (macs: Buffer) =>
  Array.from({ length: macs.length / MAC_BYTES }, (_, index) =>
    macs.toString('hex', index * MAC_BYTES, (index + 1) * MAC_BYTES),
  );

describe('ManyMacs', () => {
  it.each(EXAMPLES)('gives the mac of the standard for %i bytes', (length, mac) => {
    expect(macsOf([TEXT.subarray(0, length)])).toEqual([mac]);
  });

  it('gives the same for all of them together, in whatever order', () => {
    const together = macsOf([...EXAMPLES, ...EXAMPLES.toReversed()].map(([length]) => TEXT.subarray(0, length)));
    expect(together).toEqual([...EXAMPLES, ...EXAMPLES.toReversed()].map(([, mac]) => mac));
  });

  it('makes of many messages what it makes of each, however they are cut, and begins anew after each time', () => {
    const macs = new ManyMacs(KEY);
    const someMessages = fc.array(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 4 }), { maxLength: 40 });
    fc.assert(
      fc.property(someMessages, (messages) => {
        for (const pieces of messages) {
          for (const piece of pieces)
            macs.addBytes(Buffer.concat([TEXT, piece]), TEXT.length, TEXT.length + piece.length);
          macs.end();
        }
        expect(inHex(macs.take())).toEqual(messages.map((pieces) => macsOf([Buffer.concat(pieces)])[0]));
      }),
    );
  });

  it('takes a number as eight bytes', () => {
    for (const number of [0, 1, -1, 2 ** 40 + 7, -(2 ** 40) - 7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64BE(BigInt(number));
      const macs = new ManyMacs(KEY);
      macs.addNumber(number);
      macs.end();
      expect(inHex(macs.take())).toEqual(macsOf([bytes]));
    }
  });

  it('gives others under another key', () => {
    expect(macsOf([TEXT], Buffer.alloc(32, 1))).not.toEqual(macsOf([TEXT]));
  });
});
