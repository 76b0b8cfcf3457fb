import { describe, expect, it } from 'vitest';
import { waitLeftMs } from '../../src/calendar/wait-left.ts';

const NOW = new Date('2026-06-15T10:00:00.000Z');
const LONGEST_MS = 300_000;

describe('waitLeftMs', () => {
  it.each<[string, string | null, number]>([
    ['what waits for nothing', null, 0],
    ['a moment that has passed', '2026-06-15T09:59:59.999Z', 0],
    ['this moment', '2026-06-15T10:00:00.000Z', 0],
    ['the next millisecond', '2026-06-15T10:00:00.001Z', 1],
    ['the longest wait', '2026-06-15T10:05:00.000Z', 300_000],
    ['more than the longest wait: the clock was set back', '2026-06-15T10:05:00.001Z', 0],
    ['a day later: the clock was set back by a day', '2026-06-16T10:00:00.000Z', 0],
  ])('%s', (_case, until, leftMs) => {
    expect(waitLeftMs(until === null ? null : new Date(until), NOW, LONGEST_MS)).toBe(leftMs);
  });
});
