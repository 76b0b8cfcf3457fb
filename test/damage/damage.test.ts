import { describe, expect, it } from 'vitest';
import { upTo } from '../support/payment-rows.ts';
import { playFile, type PlayedFile } from './play-file.ts';

describe('2,000 damaged files', () => {
  it('lose no row, change no payment and show no number, in whatever pieces they come', async () => {
    const played: PlayedFile[] = [];
    for (const seed of upTo(2_000)) played.push(await playFile(seed));
    expect(played.filter(({ complaints }) => complaints.length > 0)).toEqual([]);
    expect(new Set(played.map(({ verdict }) => verdict))).toEqual(new Set(['accept', 'hold', 'reject']));
  }, 120_000);
});
