import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type ErrorCode, ERRORS } from '../../schemas/errors.ts';
import { describeFault, PipelineError, reasonOf, systemCode } from '../../src/kernel/errors.ts';
import {
  armCrashPoints,
  CRASH_POINTS,
  crashPoint,
  type CrashPointName,
  type Strike,
} from '../../src/kernel/crash-point.ts';
import { codeOf, readTree } from '../support/source-tree.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { startHealth } from '../../src/kernel/health.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('PipelineError', () => {
  it.each(CODES)('%s reads: Cannot <action>: <reason>. <what to do next>', (code) => {
    const error = new PipelineError(code, 'take "monday.csv"');
    const { means, remedy } = ERRORS[code];
    expect(error.message).toBe(`Cannot take "monday.csv": ${means}. ${remedy}`);
    expect(error.message).toMatch(/^Cannot take "monday\.csv": [a-z][^.]*[^.\s]\. .*[^.]\.$/s);
    expect(error).toMatchObject({ code, name: 'PipelineError' });
    expect(error).toBeInstanceOf(Error);
  });

  it('takes the reason and the advice of the one who throws', () => {
    const error = new PipelineError('DISK_FULL', 'write "a"', 'no space left', { next: 'Make room.' });
    expect(error.message).toBe('Cannot write "a": no space left. Make room.');
  });

  it.each(['no space left.', 'no space left. ', 'no space left...\n'])(
    'ends the reason %j with one full stop',
    (reason) => {
      expect(new PipelineError('DISK_FULL', 'write', reason).message).toContain('Cannot write: no space left. Free');
    },
  );

  it.each([undefined, '', ' . '])('falls back on the words of the table for the reason %j', (reason) => {
    expect(new PipelineError('DISK_FULL', 'write', reason).message).toContain(`: ${ERRORS.DISK_FULL.means}. `);
  });

  it('keeps its cause out of the message', () => {
    const cause = new Error('card 4222222222222220');
    const error = new PipelineError('INTERNAL', 'send', undefined, { cause });
    expect(error.cause).toBe(cause);
    expect(error.message).not.toContain('4222');
  });
});

it.each([
  [new Error('torn'), 'torn'],
  [new PipelineError('EMPTY', 'read', 'torn', { next: 'Go.' }), 'Cannot read: torn. Go.'],
  ['torn', 'torn'],
  [7, '7'],
  [null, 'null'],
  [undefined, 'undefined'],
])('reasonOf of %s is %j', (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});

it.each([
  [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT'],
  [new PipelineError('EMPTY', 'read'), 'EMPTY'],
  [Object.assign(new Error('odd'), { code: 7 }), undefined],
  [new Error('plain'), undefined],
  [{ code: 'ENOENT' }, undefined],
  [null, undefined],
])('systemCode of case %# is %j', (error, code) => {
  expect(systemCode(error)).toBe(code);
});

it('describeFault adds what is particular, if anything is', () => {
  const { means } = ERRORS.DUPLICATE_FILE;
  expect(describeFault({ code: 'DUPLICATE_FILE', detail: 'it came on Monday' })).toBe(`${means}: it came on Monday`);
  expect(describeFault({ code: 'DUPLICATE_FILE' })).toBe(means);
});

const NAMES = Object.keys(CRASH_POINTS) as CrashPointName[];

describe('crashPoint', () => {
  afterEach(() => armCrashPoints(undefined));

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

const PRODUCT = readTree(fileURLToPath(new URL('../..', import.meta.url))).filter(({ path }) =>
  /^(?:schemas|src|workers)\/.*\.ts$/.test(path),
);

describe('CRASH_POINTS', () => {
  it('are at least 40, each with a sentence of its own', () => {
    const sentences = Object.values(CRASH_POINTS);
    expect(sentences.length).toBeGreaterThanOrEqual(40);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('stand in the code once each, and nothing else is marked', () => {
    const placed = PRODUCT.flatMap(({ text }) =>
      [...codeOf(text).matchAll(/\bcrashPoint\(\s*'([^']+)'/g)].map(([, name]) => name!),
    );
    expect(placed.toSorted()).toEqual(Object.keys(CRASH_POINTS).toSorted());
  });

  it('are armed by nothing in the program', () => {
    const arming = PRODUCT.filter(({ text }) => /\barmCrashPoints\b/.test(codeOf(text))).map(({ path }) => path);
    expect(arming).toEqual(['src/kernel/crash-point.ts']);
  });
});

const START = '2026-06-15T10:00:00.000Z';

describe('startHealth', () => {
  it('knows when it began, and nothing else at first', () => {
    const health = startHealth(handClock(START));
    expect(health).toMatchObject({ begunAt: new Date(START), sweptAt: undefined, isStopping: false });
    expect([...health.listedAt]).toEqual([]);
  });

  it('keeps the last moment of each folder and of the sweep', () => {
    const clock = handClock(START);
    const health = startHealth(clock);
    health.noteListing('drop/a');
    health.noteListing('drop/b');
    clock.advance(1_000);
    health.noteListing('drop/b');
    health.noteSweep();
    const later = new Date('2026-06-15T10:00:01.000Z');
    expect(Object.fromEntries(health.listedAt)).toEqual({ 'drop/a': new Date(START), 'drop/b': later });
    expect(health.sweptAt).toEqual(later);
  });

  it('knows since when the sweep fails, until it succeeds', () => {
    const clock = handClock(START);
    const health = startHealth(clock);
    health.noteTrouble('QUEUE_UNREACHABLE');
    clock.advance(1_000);
    health.noteTrouble('LEDGER_UNREACHABLE');
    expect(health.trouble).toEqual({ since: new Date(START), code: 'LEDGER_UNREACHABLE' });
    health.noteSweep();
    expect(health.trouble).toBeUndefined();
  });

  it('says when nothing new is begun', () => {
    const health = startHealth(handClock(START));
    health.noteStop();
    expect(health.isStopping).toBe(true);
  });
});
