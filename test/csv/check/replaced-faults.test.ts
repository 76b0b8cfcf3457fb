import { expect, it } from 'vitest';
import { compileBlockScan } from '../../../src/csv/scan/scan-block.ts';
import { SCANNED_BYTES, scannedRowsIn } from '../../../src/csv/scan/scanned-rows.ts';
import { cardLine, rulesWith, VISA } from '../support.ts';
import { replacedFaults } from '../../../src/csv/check/check-blocks.ts';

it('replacedFaults tells of the rows that were asked for, and passes over those between them', () => {
  const lines = ['"A, B"', 'x', '"C, D"', '"E, F"'].map((city, n) => cardLine({ city, invoice: `N-${n}` }));
  const rows = scannedRowsIn(new ArrayBuffer(SCANNED_BYTES));
  const block = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  compileBlockScan({ layout: 'card', rules: rulesWith(), hashKey: new Uint32Array(2) })(block, 0, block.length, rows);
  const tell = replacedFaults('card')(rows, block);
  const fault = (line: number, value: string) => ({ code: 'TEXT_REPLACED', line, column: 'city', value });
  expect(tell(0, 2, 11)).toEqual([fault(11, 'A, B')]);
  expect(tell(3, 4, 20)).toEqual([fault(20, 'E, F')]);
  expect(tell(4, 4, 21)).toEqual([]);
});

it('replacedFaults shows no number of the row', () => {
  const rows = scannedRowsIn(new ArrayBuffer(SCANNED_BYTES));
  const number = '12345678';
  const block = Buffer.from(`INV-1,"Ada, 1234",Byron,CHECKING,${number},5.00,"no. 5678, 9"\n`);
  const order = { layout: 'ach', rules: rulesWith({ operation: 'ach-charge' }), hashKey: new Uint32Array(2) } as const;
  compileBlockScan(order)(block, 0, block.length, rows);
  const faults = replacedFaults('ach')(rows, block)(0, 1, 1);
  expect(faults.map(({ value }) => value)).toEqual(['Ada, 1234', 'no. 5678, 9']);
  expect(JSON.stringify(faults)).not.toContain(number);
  expect(JSON.stringify(faults)).not.toContain(VISA);
});
