import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { upTo } from '../support/payment-rows.ts';
import { playFile, type PlayedFile } from './play-file.ts';

/** Plays this many files that are the same in every run, and as many fresh ones. */
export function testDamages(files: number): void {
  it.each([
    [`${files} damaged files`, 0],
    [`${files} more that nobody has seen before`, randomInt(100_000, 2 ** 31)],
  ])(
    '%s lose no row, change no payment and show no number, in whatever pieces they come',
    async (_, from) => {
      const played: PlayedFile[] = [];
      for (const n of upTo(files)) played.push(await playFile(from + n));
      const failed = played.filter(({ complaints }) => complaints.length > 0);
      const again = failed.map(({ seed }) => `npm run damage -- --files 1 --seed ${seed}`);
      expect(failed, `Play them again:\n${again.join('\n')}`).toEqual([]);
      expect(new Set(played.map(({ verdict }) => verdict))).toEqual(new Set(['accept', 'hold', 'reject']));
    },
    240_000,
  );
}
