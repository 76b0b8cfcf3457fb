import { describe, expect, it } from 'vitest';
import { checkPaymentFile } from '../../src/csv/check-payment-file.ts';
import { cardLine, checkAll, rulesWith } from './support.ts';

const file = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

describe('memory', () => {
  /** Bytes that the heap and the buffers beside it hold, after a check of `bytes` was read to its end. */
  async function growthOf(source: AsyncIterable<Uint8Array>, atRow?: (rows: number) => void): Promise<number> {
    const before = used();
    let largest = before;
    const check = checkPaymentFile(source, rulesWith());
    let rows = 0;
    for (let next = await check.next(); !next.done; next = await check.next()) {
      rows += next.value.packed.count;
      atRow?.(rows);
      largest = Math.max(largest, used());
    }
    return largest - before;
  }

  function used(): number {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  }

  it('does not grow with the rows of a file', async () => {
    const count = 200_000;
    async function* source() {
      for (let start = 0; start < count; start += 500) {
        const lines = Array.from({ length: 500 }, (_, n) => cardLine({ invoice: `N-${start + n}` }));
        yield Buffer.from(file(...lines));
      }
    }
    let seen = 0;
    const growth = await growthOf(source(), (rows) => (seen = rows));
    expect(seen).toBe(count);
    // The file has 20 MB; kept as rows it would take over 200 MB. Rubbish that waits for collection is in the figure.
    expect(growth).toBeLessThan(150_000_000);
  });

  it('does not grow with the length of a line', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    const chunks = 3_200;
    async function* source() {
      for (let count = 0; count < chunks; count += 1) yield chunk;
    }
    expect(await growthOf(source())).toBeLessThan(60_000_000);
    const checked = await checkAll(source());
    expect(checked).toMatchObject({ verdict: 'reject', physicalLines: 1, records: 1, bytes: chunks * chunk.length });
    expect(checked.rowFaults).toEqual([{ code: 'LINE_TOO_LONG', line: 1 }]);
  });
});
