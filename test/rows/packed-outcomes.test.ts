import { describe, expect, it } from 'vitest';
import { outcomePacker } from '../../src/rows/packed-outcomes.ts';
import { unpackOutcomes } from '../reconcile/support/packed-rows.ts';

describe('outcomePacker', () => {
  it('keeps each row with its texts, from bytes or from text', () => {
    const packer = outcomePacker(3);
    packer.addRow(2, 'approved', null);
    packer.addBytes('message', Buffer.from('..OK: 12..'), 2, 8);
    packer.addBytes('authorization', Buffer.from('..OK: 12..'), 6, 8);
    packer.addRow(9, 'declined', 0);
    packer.addText('message', 'pas payé 山 \u{1F600}');
    packer.addText('authorization', '');
    const packed = packer.finish();
    expect(packed.rows).toBe(2);
    expect(unpackOutcomes(packed)).toEqual([
      { line: 2, outcome: 'approved', code: null, message: 'OK: 12', authorization: '12' },
      { line: 9, outcome: 'declined', code: 0, message: 'pas payé 山 \u{1F600}', authorization: '' },
    ]);
  });

  it('finds room for texts that are longer than usual', () => {
    const packer = outcomePacker(20);
    const rows = Array.from({ length: 20 }, (_, n) => `${n} ${'é'.repeat(n * 50)}`);
    rows.forEach((text, n) => {
      packer.addRow(n + 1, 'unknown', null);
      if (n % 2 === 0) packer.addText('message', text);
      else packer.addBytes('message', Buffer.from(text), 0, Buffer.byteLength(text));
      packer.addText('authorization', text);
    });
    expect(unpackOutcomes(packer.finish()).map((row) => [row.message, row.authorization])).toEqual(
      rows.map((text) => [text, text]),
    );
  });

  it('is empty for no rows', () => {
    expect(outcomePacker(0).finish()).toMatchObject({ rows: 0, texts: Buffer.alloc(0) });
  });
});
