import { describe, expect, it } from 'vitest';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { figuresOfFile } from '../../../workers/deliver/deliver.ts';

const FILE = {
  state: 'accepted',
  reason_code: null,
  control: { rows: 3 },
  sha256: 'hash',
  physical_lines: 6,
  blank_lines: 1,
  header_line: 2,
  records: 4,
  valid_rows: 3,
  valid_cents: 7_500,
  invalid_rows: 1,
} as unknown as FileRow;

describe('figuresOfFile', () => {
  it('has what was counted at the intake', () => {
    expect(figuresOfFile(FILE)).toEqual({
      control: { rows: 3 },
      approved: false,
      sha256: 'hash',
      physicalLines: 6,
      blankLines: 1,
      headerLines: 1,
      records: 4,
      valid: { rows: 3, cents: 7_500 },
      invalidRows: 1,
    });
    expect(figuresOfFile({ ...FILE, header_line: null }).headerLines).toBe(0);
  });

  it('counts as approved what was held and is not any more', () => {
    const held = { ...FILE, reason_code: 'CONTROL_TOTALS' };
    expect(figuresOfFile({ ...held, state: 'held' }).approved).toBe(false);
    expect(figuresOfFile({ ...held, state: 'in_progress' }).approved).toBe(true);
  });
});
