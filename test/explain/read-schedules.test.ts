import { beforeAll, describe, expect, it } from 'vitest';
import { stepText } from '../../schemas/steps.ts';
import { describeRun, isLate, type LateRuns, readLateRuns, readSchedules } from '../../src/explain/read-schedules.ts';
import { runSchedule } from '../../workers/schedule/schedule.ts';
import { runNow } from '../../src/actions/run-now.ts';
import { NOON, openScheduleWorld } from '../workers/support/schedule-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import type { App } from '../../src/app.ts';
import { createFolderScanner } from '../../src/files/scan-folder.ts';
import type { Folder, Settings } from '../../src/config/config.ts';
import { checkExpected } from '../../workers/schedule/check-expected.ts';
import { lookAtFolder } from '../../workers/watch/watch.ts';
import type { FileStory } from '../../src/explain/read-story.ts';
import { nextSendOf, showAccount } from '../../src/explain/describe-holds.ts';
import type { Account } from '../../src/config/config.ts';
import { describeAnswer, describeWait, describeWritten, sayUnanswered } from '../../src/explain/attempt-words.ts';
import type { HoldingBatch, Stop } from '../../src/ledger/account/read-holds.ts';

const world = openedForTests(openScheduleWorld);

/** The tests build on each other; each schedule lives through them. */
describe('readSchedules', () => {
  const schedules = {
    nightly: { does: 'take', at: '22:00', timeZone: 'America/Toronto' },
    close: { does: 'day-close', at: '23:00', account: 'main', days: ['mon', 'tue'] },
  } as const;
  const appHere = () => world.appWith(structuredClone(schedules) as never);
  const lineOf = async (name: string) => {
    const { ledger, settings } = appHere();
    return (await readSchedules(ledger, settings)).find((line) => line.name === name);
  };

  it('says when each runs next, by its own zone and days, and that it has not run', async () => {
    world.clock.set(NOON);
    expect(await lineOf('nightly')).toEqual({
      name: 'nightly',
      does: 'take',
      timeZone: 'America/Toronto',
      nextAt: new Date('2026-06-16T02:00:00Z'),
      last: null,
    });
    expect(await lineOf('close')).toMatchObject({ does: 'day-close', nextAt: new Date('2026-06-15T23:00:00Z') });
  });

  it('names the run after, when that of today was made early by hand', async () => {
    const app = appHere();
    await runSchedule(app, 'nightly');
    await runNow(app, 'nightly', {
      because: { actor: 'operator:ada', reason: 'early' },
      again: false,
      stop: new AbortController().signal,
    });
    expect(await lineOf('nightly')).toMatchObject({
      nextAt: new Date('2026-06-17T02:00:00Z'),
      last: { day: '2026-06-15', state: 'done' },
    });
  });

  it('says what became of the last run', async () => {
    const app = appHere();
    await runSchedule(app, 'close');
    world.clock.set('2026-06-16T12:00:00Z');
    await runSchedule(app, 'close');
    expect(await lineOf('close')).toMatchObject({
      nextAt: new Date('2026-06-16T23:00:00Z'),
      last: { day: '2026-06-15', state: 'missed' },
    });
  });

  it('has nothing to say where there are no schedules', async () => {
    expect(await readSchedules(world.app.ledger, { schedules: {} })).toEqual([]);
  });
});

/** The tests build on each other. */
describe('readLateRuns', () => {
  const world = openedForTests(openScheduleWorld);
  let folder: Folder;
  let app: App;
  beforeAll(async () => {
    folder = await world.makeFolder('drop/dues', { expect: { by: '18:00', days: ['mon', 'tue'], holidays: [] } });
    app = world.appWith({ nightly: { does: 'take', at: '22:00' } }, [folder]);
    world.clock.set(NOON);
    await runSchedule(app, 'nightly');
    await checkExpected(app);
  });
  function read(): Promise<LateRuns> {
    return readLateRuns(app.ledger, app.settings);
  }

  it('finds nothing while nothing is late', async () => {
    const late = await read();
    expect(late).toEqual({ lateRuns: [], missingFiles: [] });
    expect(isLate(late)).toBe(false);
  });

  it('lists what was missed, and the file that did not come, with what to do', async () => {
    world.clock.set('2026-06-16T10:00:00Z');
    await runSchedule(app, 'nightly');
    await checkExpected(app);
    const late = await read();
    expect(late).toEqual({
      lateRuns: [
        {
          schedule: 'nightly',
          day: '2026-06-15',
          state: 'missed',
          dueAt: new Date('2026-06-15T22:00:00Z'),
          says: 'paydrop was not running at its time',
        },
      ],
      missingFiles: [
        { schedule: 'expect:drop/dues', folder: 'drop/dues', account: 'main', day: '2026-06-15', by: '18:00' },
      ],
    });
    expect(isLate(late)).toBe(true);
  });

  it('lists the file no more once it has come, and nothing of what left the configuration', async () => {
    await world.dropMarked(folder, 'late.csv');
    await lookAtFolder(app, folder, createFolderScanner(folder, app.clock));
    expect(await read()).toMatchObject({ lateRuns: [{ day: '2026-06-15' }], missingFiles: [] });
    expect(await readLateRuns(app.ledger, { ...app.settings, schedules: {} })).toEqual({
      lateRuns: [],
      missingFiles: [],
    });
  });

  it('lists what happened a week ago at most', async () => {
    world.clock.set('2026-06-22T22:00:01Z');
    expect(await read()).toEqual({ lateRuns: [], missingFiles: [] });
  });
});

describe('describeRun', () => {
  it.each([
    [{ files: 1 }, '1 file taken'],
    [{ files: 0, says: 'done' }, '0 files taken'],
    [{ files: 2, settling: 1 }, '2 files taken, 1 still being written'],
    [{ difference: { rows: 0, total: '0.00' } }, 'difference 0 rows, 0.00'],
    [{ says: 'paydrop was not running at its time' }, 'paydrop was not running at its time'],
    [{}, 'no more is known'],
  ])('says of %j: %s', (summary, words) => {
    expect(describeRun(summary)).toBe(words);
  });
});

const MIDDAY = new Date('2026-06-15T12:00:00Z');
const window = { from: '20:00', to: '06:00', days: ['mon' as const], holidays: [] };
const accounts = new Map([
  ['night', { timeZone: 'UTC', window }],
  ['always', { timeZone: 'UTC' }],
]) as unknown as Settings['accounts'];

function nextOf(account: string, state: string, batches: string[], now = MIDDAY): string | undefined {
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

const call = (evidence: Record<string, unknown> | null) => ({ request_bytes: 900, evidence });

describe('describeWritten', () => {
  it.each([
    [{ bytesWritten: 0 }, '0 bytes; the request has 900 and its headers'],
    [{ bytesWritten: 950 }, '950 bytes; the request has 900 and its headers'],
    [null, 'not known; the request has 900 and its headers'],
  ])('of %j says %s', (evidence, words) => {
    expect(describeWritten(call(evidence))).toBe(words);
  });

  it('gives no size of a call that only the send journal knows', () => {
    expect(describeWritten({ request_bytes: 0, evidence: null })).toBe('not known: the ledger had lost this call');
  });
});

describe('describeAnswer', () => {
  it.each([
    [null, 'nothing'],
    [{ bytesRead: 0 }, 'nothing'],
    [{ httpStatus: 500, bytesRead: 0 }, 'HTTP 500, 0 bytes'],
    [{ httpStatus: 200, bytesRead: 40, answerText: 'Busy' }, 'HTTP 200, 40 bytes, Busy'],
  ])('of %j says %s', (evidence, words) => {
    expect(describeAnswer(call(evidence))).toBe(words);
  });
});

describe('sayUnanswered', () => {
  it('names the cause and what is safe', () => {
    expect(stepText(sayUnanswered('the service answered HTTP 500'))).toMatch(
      /^The question got no answer: the service answered HTTP 500\. The service has the batch/,
    );
  });
});

describe('describeWait', () => {
  it.each([
    [-5, 'less than a minute'],
    [59_999, 'less than a minute'],
    [60_000, '1 minute'],
    [3_600_000, '1 hour'],
    [90_060_000, '1 day 1 hour'],
    [2 * 86_400_000 + 61_000, '2 days 1 minute'],
  ])('of %i ms is %s', (ms, text) => {
    expect(describeWait(ms)).toBe(text);
  });
});

const since = new Date('2026-06-15T10:00:00Z');
const stop = (kind: Stop['kind']): Stop => ({ account: 'main', kind, reason: 'wait', actor: 'operator:ada', since });
const batch = (state: HoldingBatch['state']): HoldingBatch => ({
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  batchNo: 2,
  state,
  rows: 3,
  cents: 7_500,
  since,
  reason: null,
});

describe('showAccount', () => {
  const shut = { window: { from: '22:00', to: '23:00', days: ['mon'], holidays: [] } };
  it.each([
    ['sends', [], [], {}],
    ['sends', [], [batch('sending')], {}],
    ['window_closed', [], [], { settings: shut }],
    ['not_configured', [], [], { name: 'gone' }],
    ['paused', [stop('pause')], [], { settings: shut }],
    ['ledger_closed', [], [], { isLedgerOpen: false }],
    ['ledger_closed', [stop('pause')], [], { isLedgerOpen: false }],
    ['stopped', [stop('pause'), stop('journal')], [], { isLedgerOpen: false }],
    ['stopped', [stop('fault')], [], {}],
    ['refused', [stop('fault')], [batch('refused')], {}],
    ['in_doubt', [stop('pause'), stop('fault')], [batch('refused'), batch('unknown')], { isLedgerOpen: false }],
    ['in_doubt', [], [batch('unknown')], { name: 'gone' }],
  ] as const)('says "%s", the worst that is true', (shown, stops, batches, more) => {
    const { settings = {}, name = 'main', isLedgerOpen = true } = more as AccountCase;
    const state = {
      account: name,
      ready: 0,
      onTheirWay: 0,
      forgotten: 0,
      isLedgerOpen,
      stops: [...stops],
      batches: [...batches],
    };
    const accounts = new Map([['main', { name: 'main', timeZone: 'UTC', ...settings } as Account]]);
    expect(showAccount(state, { accounts }, since)).toBe(shown);
  });
});

type AccountCase = { settings?: object; name?: string; isLedgerOpen?: boolean };
