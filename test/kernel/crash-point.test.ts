import { afterEach, describe, expect, it } from 'vitest';
import {
  armCrashPoints,
  CRASH_POINTS,
  crashPoint,
  type CrashPointName,
  type Strike,
} from '../../src/kernel/crash-point.ts';

const NAMES = Object.keys(CRASH_POINTS) as CrashPointName[];

afterEach(() => armCrashPoints(undefined));

describe('crashPoint', () => {
  it('does nothing, whatever the environment says', () => {
    process.env['CHAOS_ORDER'] = JSON.stringify({ point: 'commit.before', hits: 1 });
    try {
      for (const name of NAMES) expect(crashPoint(name)).toBeUndefined();
    } finally {
      delete process.env['CHAOS_ORDER'];
    }
  });

  it('tells a test that has armed it where it is and what is about to be committed', () => {
    const passed: Parameters<Strike>[] = [];
    armCrashPoints((...point) => passed.push(point));
    crashPoint('claim.renamed');
    crashPoint('commit.before', [{ move: 'send' }]);
    armCrashPoints(undefined);
    crashPoint('claim.durable');
    expect(passed).toEqual([
      ['claim.renamed', []],
      ['commit.before', [{ move: 'send' }]],
    ]);
  });
});
