import { beforeEach, describe, expect, it } from 'vitest';
import type { RunRow } from '../../src/ledger/engine/records.ts';
import { sayRan, shownRun } from '../../src/actions/schedule-actions.ts';
import type { JournalReading } from '../../src/actions/resolve/read-journal.ts';
import { nextReportWords } from '../../src/actions/resolve/journal-action.ts';
import { keptBackJson, sayKeptBack } from '../../src/actions/say-kept-back.ts';
import { ERRORS } from '../../schemas/errors.ts';
import { evidenceFacts } from '../../src/actions/evidence-facts.ts';
import { batchFacts, fileFacts, shortHash, sumWords } from '../../src/actions/subject-words.ts';
import { ACTIONS } from '../../schemas/actions.ts';
import { BATCH_MOVES, BATCH_STATES, FILE_STATES } from '../../schemas/lifecycle.ts';
import { handledIn } from '../../src/web/actions/actions-for.ts';
import { handlersOf } from '../../src/actions/handlers.ts';
import { newLink } from '../../src/actions/new-link.ts';
import { hashSecretToken } from '../../src/crypto/secret-token.ts';
import type { Settings } from '../../src/config/config.ts';
import { pauseAccount } from '../../src/ledger/account/pause-account.ts';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import { keyOf, openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { FEATURES } from '../../src/features.ts';

const run = { state: 'done', summary: { files: 1 }, tries: 1, token: 'nobody shall see it' } as RunRow;
const day = '2026-06-15';

describe('sayRan', () => {
  it.each([
    [{ is: 'made', day, run }, 'The run of nightly for 2026-06-15 is done: 1 file taken.'],
    [
      { is: 'made before', day, run },
      'The run of nightly for 2026-06-15 was already made: 1 file taken. Nothing was done.',
    ],
    [{ is: 'taken again', day, taken: { files: 2, settling: 0 } }, 'Taken again: 2 files.'],
    [{ is: 'taken again', day, taken: undefined }, 'Stopped before everything was taken.'],
    [{ is: 'busy', day }, 'The run of nightly is in progress. Nothing was done.'],
    [{ is: 'no business day', day }, '2026-06-15 is not a business day of nightly. Nothing was done.'],
  ] as const)('%j', (ran, words) => {
    expect(sayRan('nightly', ran as Parameters<typeof sayRan>[1])).toBe(words);
  });
});

describe('shownRun', () => {
  it('leaves the token out', () => {
    expect(shownRun({ is: 'made', day, run })).toEqual({
      is: 'made',
      day,
      state: 'done',
      summary: { files: 1 },
      tries: 1,
    });
    expect(shownRun({ is: 'busy', day })).toEqual({ is: 'busy', day });
  });
});

const REPORT = {
  sha256: 'a',
  oldestAt: null,
  newestAt: null,
  covers: true,
  coversNot: '',
  neverCovers: false,
  lines: 9,
};

function words(
  counts: Partial<JournalReading['counts']>,
  report: Partial<JournalReading['report']> = {},
  waitMs = 90 * 60_000,
): string[] {
  const reading = { counts: { found: 1, absent: 0, ambiguous: 0, ...counts }, report: { ...REPORT, ...report } };
  return nextReportWords(reading as JournalReading, waitMs);
}

describe('nextReportWords', () => {
  it.each([
    [90 * 60_000, '1 hour 30 minutes'],
    [60_001, '2 minutes'],
    [0, '1 minute'],
  ])('asks for a second report where rows are lacking, after a wait of %i ms', (waitMs, wait) => {
    const [said] = words({ absent: 1 }, {}, waitMs);
    expect(said).toMatch(new RegExp(`^Give a second report .* at least ${wait} after`));
  });

  it('says why a report proves nothing, and what to do about rows that cannot be told', () => {
    expect(words({ ambiguous: 1 }, { covers: false, coversNot: 'it begins too late' })).toEqual([
      'Missing rows prove nothing: it begins too late.',
      expect.stringContaining('give the report of the day'),
    ]);
  });

  it('asks for no other report where none can help', () => {
    const report = { covers: false, coversNot: 'the clocks were 120 minutes apart', neverCovers: true };
    expect(words({ absent: 1 }, report)).toEqual([
      'Missing rows prove nothing: the clocks were 120 minutes apart.',
      expect.stringMatching(/^No other report will show it either\. Enter .* or close it with unknown outcome\.$/),
    ]);
  });

  it('wants nothing when every row is shown', () => {
    expect(words({})).toEqual([]);
  });
});

function shownRow(line: number) {
  const row = { line, outcome: 'unknown', code: null, message: 'it shows another amount', authorization: '' } as const;
  return { batchNo: 1, row };
}

const WHY = 'the service did not give its newest report: nobody listens';

describe('sayKeptBack', () => {
  it('says nothing when nothing is kept back', () => {
    expect(sayKeptBack({ shown: [], unproven: [] })).toEqual([]);
  });

  it('names the rows that the newest report shows, what they are now, and what to do', () => {
    const [row, next, ...others] = sayKeptBack({ shown: [shownRow(7)], unproven: [] });
    expect(row).toMatch(
      /^Line 7 is not sent again: .* corrected from NOT_CHARGED to UNKNOWN: it shows another amount\.$/,
    );
    expect(next).toContain('Do not drop them again');
    expect(others).toEqual([]);
    const many = sayKeptBack({ shown: Array.from({ length: 25 }, (_, n) => shownRow(n + 2)), unproven: [] });
    expect(many).toHaveLength(22);
    expect(many).toContain('5 more rows stay for the same reason.');
  });

  it('names the rows of which it proves nothing, why, and when to try again', () => {
    const [rows, next] = sayKeptBack({ shown: [], unproven: [{ batchNo: 2, lines: [4, 5], why: `${WHY}.` }] });
    expect(rows).toBe(`2 rows of batch 2 (lines 4, 5) cannot be sent again now, because ${WHY}.`);
    expect(next).toContain('Resubmit them once the service answers');
  });
});

describe('keptBackJson', () => {
  it('says the same to a program', () => {
    const unproven = [{ batchNo: 2, lines: [4], why: WHY }];
    expect(keptBackJson({ shown: [shownRow(7)], unproven })).toEqual({
      shown: [{ line: 7, outcome: 'unknown', why: 'it shows another amount' }],
      unproven,
    });
  });
});

describe('evidenceFacts', () => {
  it.each([
    [{ evidence: 'Ann, ticket 4711', waitMs: 86_400_000 }, [['Evidence', 'Ann, ticket 4711']]],
    [{ batchId: '1002', rows: 2 }, [['Batch id that matches', '1002']]],
    [{ sha256: 'a'.repeat(64) }, [['SHA-256 of the report', 'aaaaaaaaaaaa…']]],
    [{ overrides: ['SAME_ROWS'] }, [['Needs approval because', ERRORS.SAME_ROWS.means]]],
    [{ overrides: ['OF_OLD'] }, [['Needs approval because', 'OF_OLD']]],
    [{ overrides: [] }, []],
    [{ evidence: 7, batchId: null, unknown: 'x' }, []],
  ])('of %j are %j', (evidence, facts) => {
    expect(evidenceFacts(evidence)).toEqual(facts);
  });
});

const accounts = new Map([['main', { currency: 'USD', timeZone: 'America/Toronto' }]]);
const context = { settings: { accounts } } as never;
describe('sumWords', () => {
  it.each([
    ['main', 1, 5, '1 row, 0.05 USD'],
    ['main', 12_345, 123_456_789, '12,345 rows, 1,234,567.89 USD'],
    ['gone', 2, 5_000, '2 rows, 50.00'],
  ])('of account %s, %i rows and %i cents is %s', (account, rows, cents, words) => {
    expect(sumWords(context, account, rows, cents)).toBe(words);
  });
});

const HANDLERS = handlersOf(FEATURES);
const ROWS = handledIn(FEATURES).map((name) => ({ name, to: ACTIONS[name].to, ...HANDLERS[name]! }));

describe('handlersOf', () => {
  it('has every action but those that have pages of their own', () => {
    const others = Object.keys(ACTIONS).filter((name) => !Object.hasOwn(HANDLERS, name));
    expect(others).toEqual(['look', 'check', 'drop', 'people']);
  });

  it.each(ROWS)('$name begins in states that its subject can have', ({ from = [], to }) => {
    const states: object = to === 'file' ? FILE_STATES : BATCH_STATES;
    expect(from.filter((state) => !Object.hasOwn(states, state))).toEqual([]);
    expect(from.length > 0 && to !== 'file' && to !== 'batch').toBe(false);
  });

  it.each(ROWS)('$name asks each thing once, and nothing that the form asks itself', ({ picks = [], asks = [] }) => {
    const names = [...picks, ...asks].map((ask) => ask.name);
    expect(new Set([...names, 'reason', 'bind', '_csrf']).size).toBe(names.length + 3);
    for (const { kind, choices } of [...picks, ...asks]) expect(kind === 'choice').toBe(choices !== undefined);
  });

  it('compares the send journal before whatever lets a batch leave, or ends it', () => {
    const moving = BATCH_MOVES.filter(({ by }) => by === 'operator').map(({ from }) => from);
    const unsafe = ROWS.filter(
      ({ name, to, from = [], comparesJournal }) =>
        to === 'batch' &&
        name !== 'repoll' &&
        !comparesJournal &&
        from.some((state) => moving.includes(state as never)),
    );
    expect(unsafe).toEqual([]);
  });

  it('lets nothing but a recorded resolution begin in a state that may have been sent', () => {
    const inDoubt = ROWS.filter(({ from = [] }) => from.includes('unknown') || from.includes('sending'));
    expect(inDoubt.map(({ name }) => name)).toEqual(['adopt', 'probe', 'not-received', 'journal', 'close-in-doubt']);
  });
});

it('a link works for a day, and what is kept of it is only the hash of its secret', () => {
  const { token, link } = newLink(new Date('2026-06-15T10:00:00Z'));
  expect(link).toEqual({ tokenHash: hashSecretToken(token), expiresAt: new Date('2026-06-16T10:00:00Z') });
  expect(newLink(new Date()).token).not.toBe(token);
});

describe('fileFacts and batchFacts', () => {
  const world = openedForTests(openTestLedger);
  beforeEach(() => world.empty());
  const about = () => ({ ledger: world.ledger, settings: { accounts } as unknown as Settings });

  it('hold what a person compares, and no more of a hash than they can', async () => {
    const file = await world.accepted({ account: 'main' });
    const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
    expect(Object.fromEntries(await fileFacts(about(), file))).toMatchObject({
      State: 'Reconciling',
      Rows: '2',
      Total: { cents: 500, currency: 'USD' },
      Claimed: { at: file.claimed_at, timeZone: 'America/Toronto' },
      'Invalid rows, withheld': '',
      'SHA-256': `${file.sha256.slice(0, 12)}…`,
    });
    expect(Object.fromEntries(await batchFacts(about(), file, batch))).toMatchObject({
      Batch: '1',
      State: 'Reconciling',
      Rows: '2',
    });
    expect(shortHash('abcdef0123456789')).toBe('abcdef012345…');
  });

  it('say what is worse than the state of the file itself', async () => {
    const doubtful = await world.batchIn('unknown', { account: 'main' });
    const waiting = await world.accepted({ account: 'main' });
    const stateOf = async (fileId: string) => {
      const facts = await fileFacts(about(), await readFileRow(world.ledger, fileId));
      return Object.fromEntries(facts)['State'];
    };
    expect(await stateOf(keyOf(doubtful).fileId)).toBe('In doubt');
    expect(await stateOf(waiting.file_id)).toBe('Blocked');
    await pauseAccount(world.ledger, 'other', { actor: 'operator:ada', reason: 'wait' });
    const free = await world.accepted({ account: 'free' });
    expect(await stateOf(free.file_id)).toBe('Queued');
  });
});
