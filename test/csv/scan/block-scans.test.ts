import { expect, it } from 'vitest';
import { blockScans } from '../../../src/csv/scan/block-scans.ts';
import { ROWS, SCANNED_BYTES, scannedRowsIn } from '../../../src/csv/scan/scanned-rows.ts';
import { cardLines, rulesWith } from '../support.ts';

const ORDER = { layout: 'card', rules: rulesWith(), hashKey: Uint32Array.of(1, 2) } as const;
const bytes = Buffer.from(
  cardLines(3)
    .map((line) => `${line}\n`)
    .join(''),
);
const block = { bytes, isLast: false, slot: 0 };

it('blockScans scans a block itself when there is no helper, or when it has nothing', () => {
  const begun: unknown[] = [];
  const helper = { begin: (order: unknown) => void begun.push(order), take: () => undefined };
  for (const scans of [blockScans(), blockScans(helper)]) {
    scans.begin(ORDER);
    expect(scans.scan(block, 0, bytes.length).counts[ROWS]).toBe(3);
    expect(scans.scan(block, bytes.indexOf('\n') + 1, bytes.length).counts[ROWS]).toBe(2);
  }
  expect(begun).toEqual([ORDER]);
});

it('blockScans takes what its helper found', () => {
  const found = scannedRowsIn(new ArrayBuffer(SCANNED_BYTES));
  const scans = blockScans({ begin: () => {}, take: (asked) => (asked === block ? found : undefined) });
  scans.begin(ORDER);
  expect(scans.scan(block, 0, bytes.length)).toBe(found);
});
