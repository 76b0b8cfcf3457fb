import { expect, it } from 'vitest';
import { SCANNED_BYTES, scannedRowsIn } from '../../../src/csv/scan/scanned-rows.ts';

it('scannedRowsIn lays all parts into the memory beside each other, the same for everybody', () => {
  const memory = new SharedArrayBuffer(SCANNED_BYTES);
  const rows = scannedRowsIn(memory);
  const parts = Object.values(rows).toSorted((one, other) => one.byteOffset - other.byteOffset);
  let end = 0;
  for (const part of parts) {
    expect(part.byteOffset).toBe(end);
    expect(part.length).toBeGreaterThan(0);
    end = part.byteOffset + part.byteLength;
  }
  expect(end).toBe(SCANNED_BYTES);
  rows.cents[1] = -5;
  expect(scannedRowsIn(memory).cents[1]).toBe(-5);
});
