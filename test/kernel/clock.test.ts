import { describe, expect, it } from 'vitest';
import { handClock, systemClock } from '../../src/kernel/clock.ts';

describe('systemClock', () => {
  it('says the time of the system', () => {
    const before = Date.now();
    const now = systemClock.now().getTime();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });
});

describe('handClock', () => {
  it.each([['2026-06-15T10:00:00Z'], [new Date('2026-06-15T10:00:00Z')]])('stands still at %j', (start) => {
    const clock = handClock(start);
    expect(clock.now().toISOString()).toBe('2026-06-15T10:00:00.000Z');
    expect(clock.now()).toEqual(clock.now());
  });

  it('moves only by hand, forwards, backwards and to a moment', () => {
    const clock = handClock('2026-06-15T10:00:00Z');
    clock.advance(1_500);
    expect(clock.now().toISOString()).toBe('2026-06-15T10:00:01.500Z');
    clock.advance(-2_000);
    expect(clock.now().toISOString()).toBe('2026-06-15T09:59:59.500Z');
    clock.set('2027-01-01T00:00:00Z');
    expect(clock.now().toISOString()).toBe('2027-01-01T00:00:00.000Z');
  });

  it('gives out dates that cannot move it', () => {
    const start = new Date('2026-06-15T10:00:00Z');
    const clock = handClock(start);
    clock.now().setTime(0);
    start.setTime(0);
    expect(clock.now().toISOString()).toBe('2026-06-15T10:00:00.000Z');
  });
});
