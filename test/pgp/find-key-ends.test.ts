import { describe, expect, it } from 'vitest';
import { findKeyEnds } from '../../src/pgp/open-keys.ts';
import { keysOf, makeKey } from '../support/openpgp.ts';

const DAY_S = 86_400;
const START = new Date('2026-06-15T10:00:00.000Z');
const after = (days: number) => new Date(START.getTime() + days * DAY_S * 1_000);

describe('findKeyEnds', () => {
  it('says of each key until when it can be used, ours first', async () => {
    const keys = [
      await makeKey({ date: START }),
      await makeKey({ date: START, seconds: DAY_S }),
      await makeKey({ date: START, seconds: 10 * DAY_S }),
      await makeKey({ date: START, seconds: DAY_S }),
    ] as const;
    const opened = await keysOf(keys.slice(0, 2), keys.slice(2));
    const ends = await findKeyEnds(opened, after(2));
    expect(ends.map(({ whose, endsAt }) => [whose, endsAt])).toEqual([
      ['own', 'never'],
      ['former', 'ended'],
      ['sender', after(10)],
      ['sender', 'ended'],
    ]);
    expect(ends.map(({ fingerprint }) => fingerprint)).toEqual(
      keys.map((key) => key.publicKey.getFingerprint().toUpperCase()),
    );
  });
});
