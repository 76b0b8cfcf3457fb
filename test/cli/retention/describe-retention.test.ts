import { describe, expect, it } from 'vitest';
import { describeRetention } from '../../../src/cli/retention/retention.ts';
import type { RetentionReport } from '../../../src/cli/retention/read-retention.ts';

const FROM = new Date('2026-04-01');
const EMPTY: RetentionReport = {
  from: FROM,
  to: new Date('2026-07-01'),
  shredded: [],
  due: [],
  database: { mayListLog: true, setAside: [] },
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
  key: { cleanedAt: new Date('2026-05-02'), why: null, logOverAt: new Date('2026-05-03') },
  fingerprints: { cleanedAt: null, why: 'at 300 MB the table is too large', logOverAt: null },
};

describe('describeRetention', () => {
  it('says that nothing was destroyed and nothing is left, and what backups still hold', () => {
    const text = describeRetention(EMPTY);
    expect(text).toContain('Keys destroyed from 2026-04-01T00:00:00.000Z to 2026-07-01T00:00:00.000Z: 0');
    expect(text).toContain('7 originals that are kept, 0 that should be gone');
    expect(text).toContain(
      'No row of the ledger and no original in the archive of this host is left that should be gone.',
    );
    expect(text).toContain('delete backups when their time is over');
  });

  it('lists what was destroyed with its link, what is due, and what is left over', () => {
    const { shreddedAt: _at, auditLink: _link, leftOver: _left, key: _key, fingerprints: _prints, ...file } = SHREDDED;
    const text = describeRetention({
      ...EMPTY,
      shredded: [SHREDDED],
      due: [{ ...file, file_no: 1, dueAt: FROM }],
      archive: { kept: 0, left: ['abcdefgh23456789'], unknown: ['zzzzzzzz23456789'] },
    });
    expect(text).toMatch(
      /^2026-05-01T.* main +abcdefgh23456789 +june\.csv +completed +12 +fingerprints +2026-05-02T00:00:00.000Z +not yet +not yet$/m,
    );
    expect(text).toContain('Due and not destroyed yet: 1');
    expect(text).toContain('Should be gone: abcdefgh23456789');
    expect(text).toContain('Not known to the ledger, and left alone: zzzzzzzz23456789');
    expect(text).toContain('Something is left that should be gone.');
    expect(text).toContain('the keys of 1 of 1 file are gone');
    expect(text).toContain('the fingerprints of 0 of 1 file are gone');
    expect(text).toContain('Not yet for 1: at 300 MB the table is too large.');
  });

  it('says nothing of a log that it may not list, and names ledgers that were put aside', () => {
    const database = { mayListLog: false, setAside: ['paydrop_before_2026'] };
    const text = describeRetention({ ...EMPTY, shredded: [SHREDDED], database });
    expect(text).toContain('may not list them');
    expect(text).toContain('put aside is in the database with all its keys: paydrop_before_2026');
  });

  it('calls the log overwritten when it is for both', () => {
    const fingerprints = { ...SHREDDED.key, logOverAt: new Date('2026-05-04') };
    const text = describeRetention({ ...EMPTY, shredded: [{ ...SHREDDED, fingerprints }] });
    expect(text).toMatch(/2026-05-02T\S+ +2026-05-02T\S+ +2026-05-04T\S+$/m);
  });
});
