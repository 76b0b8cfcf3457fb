import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { mayBeSent } from '../../../workers/submit/submit.ts';

describe('the window of an account', () => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;
  const window = { from: '08:00', to: '18:00', days: [...days], holidays: [] };
  it.each([
    ['in its window', '2026-06-15T08:00:00Z', 'main', true],
    ['before it opens', '2026-06-15T07:59:59Z', 'main', false],
    ['after it has closed', '2026-06-15T18:00:00Z', 'main', false],
    ['on another day', '2026-06-14T12:00:00Z', 'main', false],
    ['of an account without one', '2026-06-14T12:00:00Z', 'always', true],
    ['of an account that left', '2026-06-14T12:00:00Z', 'gone', true],
  ])('decides about a batch %s', (_when, at, account, may) => {
    const accounts = new Map([
      ['main', { window, timeZone: 'UTC' }],
      ['always', { timeZone: 'UTC' }],
    ]);
    expect(mayBeSent({ settings: { accounts }, clock: handClock(at) } as unknown as App, account)).toBe(may);
  });
});
