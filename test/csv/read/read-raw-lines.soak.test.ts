import { describe, it } from 'vitest';
import { BLOCK_BYTES } from '../../../src/csv/read/read-blocks.ts';
import { tryProperty } from '../../support/random.ts';
import { ANY_LINES, expectSameRows } from '../support.ts';

/** See read-raw-lines.test.ts. */
describe('readRawLines, for long', () => {
  it('finds the rows that readRecords finds, whatever the bytes', async () => {
    await tryProperty(ANY_LINES, 40_000);
  }, 300_000);

  it.each([
    ['a line as long as is allowed', 'x'.repeat(16_384)],
    ['one more', 'x'.repeat(16_385)],
    ['a long line of characters of two bytes', 'é'.repeat(16_384)],
    ['a line longer than a block', 'x'.repeat(BLOCK_BYTES + 10)],
    ['a line of three blocks', 'x,'.repeat(BLOCK_BYTES * 1.5)],
    ['a line that ends a block exactly', 'x'.repeat(BLOCK_BYTES - 4)],
    ['one that leaves a block its CR', 'x'.repeat(BLOCK_BYTES - 3)],
    ['many lines with lone CRs', `${'a,b\r'.repeat(35_000)}c`],
    ['many plain lines', 'a,b,c\r\n'.repeat(20_000)],
    ['many quoted lines', '"a",b,c\r\n'.repeat(20_000)],
    ['many blank lines', '\r\n'.repeat(70_000)],
  ])('finds the rows that readRecords finds: %s', async (_what, line) => {
    for (const ends of ['\r\n', '\n', '\r']) {
      const bytes = Buffer.from(`a${ends}${line}${ends}b,c${ends}\x1a`);
      const options = { charset: 'utf-8', headerLine: null } as const;
      await expectSameRows(bytes, options);
      const open = Buffer.from(`a${ends}${line}`);
      await expectSameRows(open, options);
    }
  });
});
