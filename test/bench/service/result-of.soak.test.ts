import { describe, expect, it } from 'vitest';
import { cardRows, ORDINARY } from '../../../bench/files/card-file.ts';
import { resultOf } from '../../../bench/service/result-of.ts';
import { processBatch, readBatchFile } from '../../../src/sandbox/batch/process-batch.ts';

const ROWS = [...cardRows({ ...ORDINARY, quoted: 0, invalid: 0, rows: 20 })].map(({ line }) => line).join('');

describe('resultOf', () => {
  it.each([
    ['as the script sends them', ROWS],
    ['as paydrop sends them, the last without an end', ROWS.trimEnd()],
    ['with the line ends of Windows', ROWS.replaceAll('\n', '\r\n')],
  ])('gives the result that the sandbox gives for rows %s', (_, text) => {
    const { result } = processBatch(readBatchFile(Buffer.from(text)), {
      kind: 'card',
      account: 'TEST88',
      server: 'NA',
      ipAddress: '',
      findsDuplicates: false,
      isTaken: () => false,
      keyOf: (parts) => parts.join('|'),
    });
    const { bytes, rows } = resultOf(Buffer.from(text));
    expect(rows).toBe(20);
    expect(shapeOf(bytes)).toEqual(shapeOf(result));
  });

  it('gives nothing for nothing', () => {
    expect(resultOf(Buffer.alloc(0))).toEqual({ bytes: Buffer.alloc(0), rows: 0 });
  });
});

/** Replaces the messages: the sandbox declines some amounts and has codes of its own. All before them must match. */
function shapeOf(result: Buffer): string[] {
  return result
    .toString()
    .split('\r\n')
    .map((line) => line.replace(/,(?:OK|REJECT)[^,]*$/, ',message'));
}
