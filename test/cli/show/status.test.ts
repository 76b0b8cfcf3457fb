import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { describeObstacles, lateRunLines, troubleStatus } from '../../../src/cli/show/status.ts';
import { momentsIn } from '../../../src/cli/print/moments.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { startHere } from '../support/run-here.ts';
import { forceSql } from '../../support/force-sql.ts';
import type { Overview } from '../../../src/ledger/overview/overview.ts';
import { describeComparison, describeExceptions } from '../../../src/cli/show/exceptions.ts';
import type { Comparison } from '../../../src/explain/compare-batch.ts';
import { compareRows } from '../../../src/reconcile/compare-rows.ts';
import { skipPauses } from '../../queue/support/queue-world.ts';
import { changeCells, resultsOf, sentRow } from '../../reconcile/support/result-rows.ts';

const world = openedForTests(() => openCliWorld({ folder: { sameTotals: 'off' } }));

/** The tests build on each other: each adds worse trouble than the one before. */
describe('status', () => {
  it('is well with an empty ledger', async () => {
    const out = await world.says('status', '--check');
    expect(out).toBe('Files\nnone yet\n\nLast 24 hours\nno outcomes yet\n');
  });

  it('says what lies in the drop folders, and with --verbose what is never taken', async () => {
    const { path } = world.app.settings.folders[0]!;
    const names = ['new.csv', 'Thumbs.db', 'old.csv.ctl'];
    for (const name of names) await writeFile(join(path, name), 'rows=1');
    await utimes(join(path, 'old.csv.ctl'), 1_700_000_000, 1_700_000_000);
    const [out, more] = [await world.says('status'), await world.says('status', '--verbose')];
    expect(out).toMatch(/Waiting in drop folders\nFolder +Account +Files\n.*\n\S+ +main +1\n/);
    expect(out).toMatch(/Left over in drop folders\n.*\n.*\n.*old\.csv\.ctl +control without its payment file/);
    expect(out).not.toContain('Thumbs.db');
    expect(more).toMatch(/Never taken\n.*\n.*\n.*Thumbs\.db/);
    const { folders } = JSON.parse(await world.says('status', '--json'));
    expect(folders).toContainEqual(expect.objectContaining({ waiting: 1, ignored: ['Thumbs.db'], outdated: [] }));
    for (const name of names) await rm(join(path, name));
  });

  it('counts files and money, and is well when all is done', async () => {
    await world.drop('card', 'done.csv', lines([cardRow(1), cardRow(2)]));
    await world.finish();
    const out = await world.says('status', '--check');
    expect(out).toMatch(/completed +1 +2 +50\.00/);
    expect(out).toMatch(/main +APPROVED +2 +50\.00/);
    expect(out).not.toContain('In progress');
  });

  it('names a held file and what to do: 3', async () => {
    await world.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    await world.finish();
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(3);
    expect(out).toMatch(/twice\.csv +main +needs approval .*\d \+00:00 \(\d+ s ago\)/);
    expect(out).toContain('paydrop approve FILE --reason');
  });

  it('offers no approval where no row could be sent', async () => {
    const of = (rows: number) => `UPDATE file SET valid_rows = ${rows} WHERE name = 'twice.csv'`;
    await forceSql(world.app, of(0));
    const { out } = await world.paydrop('status');
    await forceSql(world.app, of(2));
    expect(out).toContain('then "paydrop decline FILE --reason …".');
    expect(out).not.toContain('paydrop approve');
  });

  it.each([
    ['unknown', 4, 'Never drop its file again. See "paydrop unknown list".'],
    ['refused', 5, '"paydrop retry BATCH --reason …"'],
    ['exception', 5, 'See "paydrop exceptions BATCH".'],
  ])('puts a batch that is %s before all else: %i', async (state, code, next) => {
    await world.forceState('batch', state);
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(code);
    expect(out).toMatch(/^Needs attention\n/);
    expect(out).toContain('done.csv');
    expect(out).toContain(next);
  });

  it('says the same with 0 when nobody asked for a check', async () => {
    const out = await world.says('status');
    expect(out).toContain('Needs attention');
  });

  it('names a stopped account: 5', async () => {
    await world.forceState('batch', 'reconciled');
    await world.app.ledger.pool.query(`INSERT INTO account_stop VALUES ('main', 'the journal knows more', now())`);
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(5);
    expect(out).toMatch(/Stopped accounts\n(.*\n){2}main .*the journal knows more/);
  });

  it('shows it again and again on a terminal, until Ctrl-C', async () => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = true;
    onTestFinished(() => void (process.stdout.isTTY = isTTY));
    onTestFinished(skipPauses());
    const watching = startHere(['--dir', world.root, 'status', '--watch']);
    await expect.poll(() => watching.out().split('Stopped accounts').length).toBeGreaterThan(2);
    await watching.interrupt();
    const { status, out, err } = await watching.ended;
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^\u001b\[H\u001b\[J\u001b\[HStopped accounts\u001b\[K\n/);
  });

  it.each([['--watch'], ['--watch', '--json']])('%s needs a terminal', async (...words) => {
    expect(await world.refusal('status', ...words)).toContain('that needs a terminal and plain text');
  });

  it('is one JSON value on request', async () => {
    const { status, out, err } = await world.paydrop('status', '--check', '--json');
    expect({ status, err }).toEqual({ status: 5, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      open: [{ name: 'twice.csv', state: 'held' }],
      stopped: [{ account: 'main' }],
      doubt: [],
    });
  });
});

const WHEN = momentsIn('UTC', new Date(180_000));

it('describeObstacles tells a cause once with all that is to be done, and what is to be done of each cause', () => {
  const closed = { what: 'Nothing is sent', name: null, why: 'it may have gone back', since: new Date(0) };
  const missing = { what: 'Cannot look', name: 'june.csv', why: 'it is gone', since: null };
  expect(
    describeObstacles(
      [
        { ...closed, next: 'Start host-b.' },
        { ...closed, next: 'Start host-c.' },
        { ...missing, next: 'Start host-c.' },
      ],
      WHEN,
    ),
  ).toBe(
    'Nothing is sent since 1970-01-01 00:00:00 +00:00 (3 min ago): it may have gone back\n  Start host-b.\n  Start host-c.\n' +
      'Cannot look (june.csv): it is gone\n  Start host-c.',
  );
});

describe('lateRunLines', () => {
  it('says nothing when nothing is late', () => {
    expect(lateRunLines({ lateRuns: [], missingFiles: [] }, WHEN)).toEqual([]);
  });

  it('lists what was missed and what has not come, each with what to do', () => {
    const dueAt = new Date('2026-06-15T22:00:00Z');
    const run = {
      schedule: 'nightly',
      day: '2026-06-15',
      state: 'missed',
      dueAt,
      says: 'paydrop was not running at its time',
    };
    const file = {
      schedule: 'expect:drop/dues',
      folder: 'drop/dues',
      account: 'main',
      day: '2026-06-15',
      by: '18:00',
    };
    expect(lateRunLines({ lateRuns: [run], missingFiles: [file] }, WHEN).join('\n\n')).toMatch(
      /Late schedules\n(.*\n){2}nightly +2026-06-15 +missed .*\n\n"paydrop schedule run NAME".*\n\nExpected files that have not arrived\n(.*\n){2}drop\/dues +main +2026-06-15 +18:00/,
    );
  });
});

const HELD = { state: 'held', files: 1, rows: 2, cents: 5_000 };
const DONE = { state: 'completed', files: 9, rows: 90, cents: 900_000 };

const UNDECIDED = {
  account: 'main',
  fileId: 'g7fhpaqs',
  batchNo: 1,
  name: 'june.csv',
  rows: 1,
  cents: 300,
  since: new Date(0),
};

describe('troubleStatus', () => {
  it.each([
    ['nothing', {}, 0, 0],
    ['files that are done', { files: [DONE] }, 0, 0],
    ['a refused file of this run', { files: [DONE] }, 1, 2],
    ['a held file', { files: [DONE, HELD] }, 1, 3],
    ['a batch that is perhaps paid already', { files: [DONE], paid: [{}] }, 1, 3],
    ['a payment perhaps made twice', { files: [HELD], twice: [{}] }, 0, 5],
    ['an unknown batch', { files: [HELD], doubt: [inDoubt('unknown')] }, 1, 4],
    ['an undecided row', { files: [HELD], undecided: [UNDECIDED] }, 1, 4],
    ['an exception', { files: [HELD], doubt: [inDoubt('unknown'), inDoubt('exception')] }, 1, 5],
    ['a refused batch', { doubt: [inDoubt('refused')] }, 0, 5],
    ['a stopped account', { stopped: [{ account: 'main', reason: 'journal', since: new Date(0) }] }, 0, 5],
  ] as const)('%s: the worst decides', (_what, part, rejected, status) => {
    expect(troubleStatus(overview(part), rejected)).toBe(status);
  });
});

function overview(part: Partial<Record<keyof Overview, readonly unknown[]>>): Overview {
  return {
    files: [],
    open: [],
    doubt: [],
    paid: [],
    twice: [],
    undecided: [],
    stopped: [],
    today: [],
    ...part,
  } as Overview;
}

function inDoubt(state: Overview['doubt'][number]['state']): Overview['doubt'][number] {
  const since = new Date(0);
  return { account: 'main', fileId: 'f', name: 'a.csv', batchNo: 1, state, rows: 1, cents: 100, since, reason: null };
}

let batch = '';

describe('exceptions', () => {
  beforeAll(async () => {
    await forceSql(world.app, 'DELETE FROM account_stop');
    world.sandbox.faults.plan({ kind: 'result-row-missing', operation: 'getBatchProcessResultFile' });
    await world.drop('card', 'monday.csv', lines(upTo(3).map((n) => cardRow(n, { invoice: `E-${n}` }))));
    await world.finish();
    batch = `${(await findFile(world.app.ledger, 'monday.csv')).file_id}/1`;
  });

  it('lists what waits, and status names the command', async () => {
    const out = await world.says('exceptions');
    expect(out).toContain(batch);
    expect(out).toContain('2 result rows for 3 sent rows, 1 of them differs');
    expect((await world.paydrop('status')).out).toContain('paydrop exceptions');
  });

  it('shows both sides of one, the missing row as one gap', async () => {
    const out = await world.says('exceptions', 'monday.csv/1');
    expect(out).toContain('3 rows sent, 2 returned, 1 differs.');
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^ *3 +3 +E-3 +25\.00 +number ending 2220 +<$/);
    expect(out).not.toContain(CARD);
  });

  it('shows all rows, and JSON, on request', async () => {
    const all = JSON.parse((await world.paydrop('exceptions', batch, '--all', '--json')).out);
    expect(all).toMatchObject({ batch, differing: 1, sentRows: 3, resultRows: 2, rows: [{}, {}, { isSame: false }] });
    const few = JSON.parse((await world.paydrop('exceptions', batch, '--json')).out);
    expect(few.rows).toHaveLength(1);
    expect(JSON.parse((await world.paydrop('exceptions', '--json')).out)).toMatchObject([{ name: 'monday.csv' }]);
  });

  it.each([
    ['monday.csv/2', /find batch 2/],
    ['monday.csv', /not written as file\/number/],
  ])('%s: status 1 and a sentence', async (words, sentence) => {
    expect(await world.refusal('exceptions', words)).toMatch(sentence);
  });

  it('says that there is no result of a batch that is not that far', async () => {
    await world.app.ledger.pool.query('UPDATE batch SET result_sha256 = NULL');
    await world.forceState('batch', 'submitted');
    const { status, err } = await world.paydrop('exceptions', batch);
    expect(status).toBe(1);
    expect(err).toContain('there is no result of it yet');
  });
});

const SENT = [1, 2, 3].map((n) => sentRow('card', { line: n + 1, invoice: `C-${n}` }));
const [ONE, , THREE] = resultsOf('card', SENT);
const FOREIGN = { ...ONE!, cells: changeCells('card', ONE!.cells, { invoice: 'C-9' }) };
const STRANGE = { position: 4, cells: ['a', 'b'], message: 'what' };

const COMPARISON: Comparison = {
  batch: '2anp3p7jwetvmz4z/2',
  name: 'monday.csv',
  state: 'exception',
  batchId: '1000003',
  reason: '4 result rows for 3 sent rows, 3 of them differ',
  sentRows: 3,
  resultRows: 4,
  differing: 3,
  rows: compareRows('card', SENT, [FOREIGN, THREE!, STRANGE]),
};

describe('describeComparison', () => {
  it('lays both sides beside each other, with a sign where they differ', () => {
    const text = describeComparison(COMPARISON);
    const [title, reason, counts, , , , ...rows] = text.split('\n');
    expect([title, reason, counts]).toEqual([
      'Batch 2anp3p7jwetvmz4z/2 of monday.csv, batch id 1000003, result mismatch',
      '4 result rows for 3 sent rows, 3 of them differ',
      '3 rows sent, 4 returned, 3 differ.',
    ]);
    expect(rows.map((row) => row.replace(/ {2,}/g, '  ').trim())).toEqual([
      '1  2  C-1  25.00  number ending 2220  |  C-9  25.00  number ending 2220  Received',
      '2  3  C-2  25.00  number ending 2220  <',
      '2  4  C-3  25.00  number ending 2220  C-3  25.00  number ending 2220  Received',
      '3  >  2 cells of another layout  what',
    ]);
  });

  it('says when the result cannot be read at all, and when nothing differs', () => {
    const unreadable = describeComparison({ ...COMPARISON, unreadable: 'it is no text', rows: [] });
    expect(unreadable).toContain('The result cannot be read: it is no text');
    const fits = describeComparison({ ...COMPARISON, state: 'reconciled', differing: 0, rows: [] });
    expect(fits.split('\n')).toHaveLength(2);
    expect(fits).not.toContain('differ\n');
  });
});

describe('describeExceptions', () => {
  it('says what waits and what to type next', () => {
    const text = describeExceptions(
      [
        {
          fileId: '2anp3p7jwetvmz4z',
          batchNo: 2,
          name: 'monday.csv',
          account: 'main',
          batchId: '1000003',
          rows: 3,
          cents: 7_500,
          since: new Date('2026-06-15T10:00:00Z'),
          reason: 'a row is missing',
          nextPollAt: null,
        },
      ],
      momentsIn('America/Toronto', new Date('2026-06-15T12:00:00Z')),
    );
    expect(text).toMatch(
      /2anp3p7jwetvmz4z\/2 +monday\.csv +main +1000003 +3 +75\.00 +2026-06-15 06:00:00 -04:00 \(2 h ago\) +a row is missing/,
    );
    expect(text).toContain('"paydrop exceptions BATCH"');
  });

  it('says so when nothing waits', () => {
    expect(describeExceptions([], WHEN)).toBe('No result needs attention: each one matches what was sent.');
  });
});
