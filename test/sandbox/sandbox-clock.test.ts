import { describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { startSandboxClock } from '../../src/sandbox/sandbox-clock.ts';

describe('startSandboxClock', () => {
  it('shows the present moment unless it is told another', () => {
    const base = handClock('2026-06-15T10:00:00Z');
    expect(startSandboxClock(base).now()).toEqual(base.now());
  });

  it('starts where it is told, runs on from there, jumps and is set', () => {
    const base = handClock('2026-06-15T10:00:00Z');
    const clock = startSandboxClock(base, '2030-01-01T00:00:00Z');
    expect(clock.now().toISOString()).toBe('2030-01-01T00:00:00.000Z');
    base.advance(1500);
    expect(clock.now().toISOString()).toBe('2030-01-01T00:00:01.500Z');
    clock.advance(60_000);
    expect(clock.now().toISOString()).toBe('2030-01-01T00:01:01.500Z');
    clock.set(new Date('2020-01-01T00:00:00Z'));
    base.advance(1);
    expect(clock.now().toISOString()).toBe('2020-01-01T00:00:00.001Z');
  });

  it('refuses what is no moment and stays where it was', () => {
    const base = handClock('2026-06-15T10:00:00Z');
    expect(() => startSandboxClock(base, 'tomorrow')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    const clock = startSandboxClock(base);
    expect(() => clock.set('10000-01-01T00:00:00Z')).toThrow('years 1000 to 9998');
    expect(() => clock.set('+010000-01-01T00:00:00Z')).toThrow('years 1000 to 9998');
    expect(() => clock.advance(1e15)).toThrow('years 1000 to 9998');
    expect(() => clock.advance(Number.POSITIVE_INFINITY)).toThrow('years 1000 to 9998');
    expect(() => clock.set('soon')).toThrow('Cannot set the clock of the sandbox to "soon"');
    expect(() => clock.advance(Number.NaN)).toThrow('Cannot move the clock of the sandbox by "NaN"');
    expect(clock.now()).toEqual(base.now());
  });

  it('tells of each move, when it has happened, and not of one that was refused', () => {
    const told: string[] = [];
    const clock = startSandboxClock(handClock('2026-06-15T10:00:00Z'), '2030-01-01T00:00:00Z', () =>
      told.push(clock.now().toISOString()),
    );
    clock.advance(1000);
    clock.set('2020-01-01T00:00:00Z');
    expect(() => clock.advance(Number.NaN)).toThrow('Cannot move');
    expect(told).toEqual(['2030-01-01T00:00:01.000Z', '2020-01-01T00:00:00.000Z']);
  });
});
