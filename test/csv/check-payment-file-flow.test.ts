import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CARD_HEADER, cardLine, checkAll, chunksOf, VISA } from './support.ts';

const CANADIAN = `06/15/2026,INV-1,Ada Byron,5.00,VISA,${VISA},1228`;

describe('however the bytes are cut', () => {
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

  it('the answer is the same', async () => {
    const lines = fc.array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\r\n', '\r', '')), {
      maxLength: 12,
    });
    const encode = fc.constantFrom<(text: string) => Buffer>(
      (text) => Buffer.from(text),
      (text) => Buffer.from(`\ufeff${text}`),
      (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
      (text) => Buffer.from(text, 'latin1'),
    );
    await fc.assert(
      fc.asyncProperty(lines, encode, fc.constantFrom(1, 2, 3, 7, 64, 1_000), async (lines, encode, size) => {
        const bytes = encode(lines.map(([line, end]) => line + end).join(''));
        expect(await checkAll(chunksOf(bytes, size))).toEqual(await checkAll(chunksOf(bytes, bytes.length + 1)));
      }),
      { numRuns: 150 },
    );
  });
});
