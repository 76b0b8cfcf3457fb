import { describe, expect, it } from 'vitest';
import { describeRetention } from '../../../src/cli/retention/describe-retention.ts';
import type { RetentionReport } from '../../../src/cli/retention/read-retention.ts';

const FROM = new Date('2026-04-01');
const EMPTY: RetentionReport = {
  from: FROM,
  to: new Date('2026-07-01'),
  shredded: [],
  due: [],
  archive: { kept: 7, left: [], unknown: [] },
};
const SHREDDED = {
  file_id: 'abcdefgh23456789',
  name: 'june.csv',
  account: 'main',
  state: 'completed' as const,
  shreddedAt: new Date('2026-05-01'),
  auditLink: 12,
  leftOver: ['fingerprints'],
};

describe('describeRetention', () => {
  it('says that nothing was destroyed and nothing is left, and what backups still hold', () => {
    const text = describeRetention(EMPTY);
    expect(text).toContain('Keys destroyed from 2026-04-01T00:00:00.000Z to 2026-07-01T00:00:00.000Z: 0');
    expect(text).toContain('7 originals that are kept, 0 that should be gone');
    expect(text).toContain('Everything is gone from the ledger and the archive that should be.');
    expect(text).toContain('delete backups when their time is over');
  });

  it('lists what was destroyed with its link, what is due, and what is left over', () => {
    const { shreddedAt: _at, auditLink: _link, leftOver: _left, ...file } = SHREDDED;
    const text = describeRetention({
      ...EMPTY,
      shredded: [SHREDDED],
      due: [{ ...file, file_no: 1, dueAt: FROM }],
      archive: { kept: 0, left: ['abcdefgh23456789'], unknown: ['zzzzzzzz23456789'] },
    });
    expect(text).toMatch(/^2026-05-01T.* main +abcdefgh23456789 +june\.csv +completed +12 +fingerprints$/m);
    expect(text).toContain('Due and not destroyed yet: 1');
    expect(text).toContain('Should be gone: abcdefgh23456789');
    expect(text).toContain('Not known to the ledger, and left alone: zzzzzzzz23456789');
    expect(text).toContain('Something is left that should be gone.');
  });
});
