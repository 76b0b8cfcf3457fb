import { describe, expect, it } from 'vitest';
import { LINE_PIECE_BYTES, measureLine, measureRows } from './check-memory.ts';
import { checkAll } from '../support.ts';

/** Memory that large files take. */
describe('memory', () => {
  it('does not grow with the rows of a file', async () => {
    const { rows, bytes, growth } = await measureRows(1_000_000);
    expect(rows).toBe(1_000_000);
    // Keeping the rows would take ten times the bytes. The check keeps a hash of each row to find duplicates.
    expect(growth).toBeLessThan(bytes / 2);
  }, 300_000);

  it('does not grow with the length of a line', async () => {
    const { bytes, growth } = await measureLine(3_200);
    expect(bytes).toBe(3_200 * LINE_PIECE_BYTES);
    expect(growth).toBeLessThan(1_000_000);
    const checked = await checkAll(Buffer.alloc(3_200 * LINE_PIECE_BYTES, 'x'));
    expect(checked).toMatchObject({ verdict: 'reject', physicalLines: 1, records: 1, bytes });
    expect(checked.rowFaults).toEqual([{ code: 'LINE_TOO_LONG', line: 1 }]);
  }, 300_000);
});
