import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../src/config/limits.ts';

const NONE = { rowCents: undefined, fileRows: undefined, fileCents: undefined, dayCents: undefined };

describe('limitsOf', () => {
  it('has no limit where none is set', () => {
    expect(limitsOf({ limits: {} })).toEqual(NONE);
    expect(limitsOf({ limits: {} }, { limits: {} })).toEqual(NONE);
  });

  it('turns amounts into cents', () => {
    const limits = { rowAmount: 500.55, fileRows: 10, fileTotal: 0.29, dayTotal: 90_000_000_000 };
    expect(limitsOf({ limits })).toEqual({
      rowCents: 50_055,
      fileRows: 10,
      fileCents: 29,
      dayCents: 9_000_000_000_000,
    });
  });

  it.each([
    [{ fileRows: 10 }, {}, 10],
    [{}, { fileRows: 10 }, 10],
    [{ fileRows: 10 }, { fileRows: 20 }, 10],
    [{ fileRows: 20 }, { fileRows: 10 }, 10],
  ])('takes the tighter of %j and %j', (account, folder, fileRows) => {
    expect(limitsOf({ limits: account }, { limits: folder })).toEqual({ ...NONE, fileRows });
  });
});
