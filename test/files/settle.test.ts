import { describe, expect, it } from 'vitest';
import { isQuiet, noteSighting, type Sighting } from '../../src/files/scan-folder.ts';

const RULE = { quietMs: 10_000, probes: 3 };

function look(looks: [shape: string, nowMs: number][]): boolean {
  let sighting: Sighting | undefined;
  let lastMs = 0;
  for (const [shape, nowMs] of looks) {
    sighting = noteSighting(sighting, shape, nowMs);
    lastMs = nowMs;
  }
  return sighting !== undefined && isQuiet(sighting, RULE, lastMs);
}

describe('isQuiet', () => {
  it.each<[string, [string, number][], boolean]>([
    [
      'three looks over ten seconds',
      [
        ['a', 0],
        ['a', 5_000],
        ['a', 10_000],
      ],
      true,
    ],
    [
      'three looks over less',
      [
        ['a', 0],
        ['a', 5_000],
        ['a', 9_999],
      ],
      false,
    ],
    [
      'two looks over any time',
      [
        ['a', 0],
        ['a', 99_000],
      ],
      false,
    ],
    [
      'many looks at once',
      [
        ['a', 0],
        ['a', 1],
        ['a', 2],
        ['a', 3],
        ['a', 4],
      ],
      false,
    ],
    [
      'a change at the last look',
      [
        ['a', 0],
        ['a', 5_000],
        ['b', 10_000],
      ],
      false,
    ],
    [
      'three looks since a change',
      [
        ['a', 0],
        ['b', 5_000],
        ['b', 10_000],
        ['b', 15_000],
      ],
      true,
    ],
    [
      'a change and back',
      [
        ['a', 0],
        ['b', 5_000],
        ['a', 10_000],
        ['a', 15_000],
      ],
      false,
    ],
    [
      'a clock set back',
      [
        ['a', 50_000],
        ['a', 55_000],
        ['a', 1_000],
        ['a', 6_000],
      ],
      false,
    ],
    [
      'ten seconds after a clock was set back',
      [
        ['a', 50_000],
        ['a', 1_000],
        ['a', 6_000],
        ['a', 11_000],
      ],
      true,
    ],
  ])('judges %s', (_case, looks, quiet) => {
    expect(look(looks)).toBe(quiet);
  });
});

describe('noteSighting', () => {
  it('remembers since when the shape is the same', () => {
    const first = noteSighting(undefined, 'a', 1_000);
    expect(noteSighting(first, 'a', 2_000)).toEqual({ shape: 'a', sinceMs: 1_000, probes: 2 });
    expect(noteSighting(first, 'b', 2_000)).toEqual({ shape: 'b', sinceMs: 2_000, probes: 1 });
  });
});
