import { describe, expect, it } from 'vitest';
import { type Calls, callsWithout } from '../../../scripts/house/calls.ts';

describe('callsWithout', () => {
  it.each([
    { what: 'ran only now', idle: 0, calls: 1, share: 1, isLeft: true },
    { what: 'ran as often when idle', idle: 2, calls: 2, share: 1, isLeft: false },
    { what: 'ran more often than in the share of the idle time', idle: 4, calls: 3, share: 0.5, isLeft: true },
    { what: 'ran once while idle, and the share is small', idle: 1, calls: 1, share: 0.1, isLeft: false },
  ])('a function that $what: $isLeft', ({ idle, calls, share, isLeft }) => {
    const made = (count: number): Calls => new Map([['a', { path: 'src/a.ts', name: 'a', count }]]);
    expect(callsWithout(made(idle), made(calls), share).has('a')).toBe(isLeft);
  });
});
