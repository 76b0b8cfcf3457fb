import fc from 'fast-check';
import { expect } from 'vitest';
import { CARD_HEADER, cardLine, checkAll, chunksOf, VISA } from './support.ts';

const CANADIAN = `06/15/2026,INV-1,Ada Byron,5.00,VISA,${VISA},1228`;

const LINES = [
  cardLine(),
  cardLine({ city: '"Zürich, ""ZH"""' }),
  cardLine({ invoice: 'N-2', street: '5" Road' }),
  cardLine({ invoice: 'N-3', expiry: '"1228' }),
  cardLine({ invoice: 'N-4', amount: '-5' }),
  cardLine({ invoice: 'N-5', cardNumber: '="4222222222222220"' }),
  cardLine({ invoice: 'N-6', state: '\u0000' }),
  `${cardLine()},123`,
  CARD_HEADER,
  CANADIAN,
  '',
  '  ',
  '\u001a',
  'x'.repeat(17_000),
  '山,👍',
];

const someLines = fc.array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\r\n', '\r', '')), {
  maxLength: 12,
});

const someEncoding = fc.constantFrom<(text: string) => Buffer>(
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (text) => Buffer.from(text, 'latin1'),
);

/**
 * Returns the property that a check gives the same result, however its bytes are cut.
 * @param mostPieces of a file; long lines get longer pieces, because checking byte by byte takes seconds
 */
export function cutBytes(mostPieces: number) {
  return fc.asyncProperty(
    someLines,
    someEncoding,
    fc.constantFrom(1, 2, 3, 7, 64, 1_000),
    async (lines, encode, length) => {
      const bytes = encode(lines.map(([line, end]) => line + end).join(''));
      const size = Math.max(length, Math.ceil(bytes.length / mostPieces));
      expect(await checkAll(chunksOf(bytes, size))).toEqual(await checkAll(chunksOf(bytes, bytes.length + 1)));
    },
  );
}
