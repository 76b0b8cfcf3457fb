import { describe, expect, it } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import type { FileStory } from '../../src/explain/read-story.ts';
import { nextSendOf } from '../../src/explain/next-send.ts';

const NOON = new Date('2026-06-15T12:00:00Z');
const window = { from: '20:00', to: '06:00', days: ['mon' as const], holidays: [] };
const accounts = new Map([
  ['night', { timeZone: 'UTC', window }],
  ['always', { timeZone: 'UTC' }],
]) as unknown as Settings['accounts'];

function nextOf(account: string, state: string, batches: string[], now = NOON): string | undefined {
  const story = {
    file: { account, state },
    batches: batches.map((batch) => ({ state: batch })),
  } as unknown as FileStory;
  return nextSendOf(story, { accounts }, now)?.toISOString();
}

describe('nextSendOf', () => {
  it.each(['accepted', 'in_progress'])('is when the window opens, for a file that is %s', (state) => {
    expect(nextOf('night', state, ['reconciled', 'ready'])).toBe('2026-06-15T20:00:00.000Z');
  });

  it.each([
    ['a window that is open', 'night', 'accepted', ['ready'], '2026-06-15T21:00:00Z'],
    ['an account without a window', 'always', 'accepted', ['ready'], '2026-06-15T12:00:00Z'],
    ['an account that is not there any more', 'gone', 'accepted', ['ready'], '2026-06-15T12:00:00Z'],
    ['a file of which all was sent', 'night', 'in_progress', ['submitted'], '2026-06-15T12:00:00Z'],
    ['a file that is held', 'night', 'held', ['ready'], '2026-06-15T12:00:00Z'],
    ['a file that was cancelled', 'night', 'cancelled', ['cancelled'], '2026-06-15T12:00:00Z'],
  ])('is nothing of %s', (_what, account, state, batches, now) => {
    expect(nextOf(account, state, batches, new Date(now))).toBeUndefined();
  });
});
