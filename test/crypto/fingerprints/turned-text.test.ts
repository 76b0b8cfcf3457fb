import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loosenText } from '../../../src/crypto/fingerprints/loosen.ts';
import { loosenJoined, loosenTurned, ROOM_FOR_TURNED } from '../../../src/crypto/fingerprints/turned-text.ts';

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
