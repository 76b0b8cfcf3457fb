import { describe, expect, it } from 'vitest';
import { canonicalBytes } from '../../../src/csv/write/packed-rows.ts';
import { checkAll } from '../support.ts';

describe('canonicalBytes', () => {
  it('joins cells by commas and rows by LF, none after the last, in UTF-8', async () => {
    const { rows } = await checkAll('INV-1,A1,5,Ñandú\r\nINV-2,A2,7.5,"x, y"\r\n', { operation: 'ach-charge' });
    const bytes = canonicalBytes(rows.flatMap((row) => row.payment ?? []));
    expect(bytes).toEqual(Buffer.from('INV-1,A1,5.00,Ñandú\nINV-2,A2,7.50,x y'));
  });

  it('has no bytes for no rows', () => {
    expect(canonicalBytes([])).toHaveLength(0);
  });
});
